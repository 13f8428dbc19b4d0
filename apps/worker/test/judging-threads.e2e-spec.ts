import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DETECTORS, HostEvidence, judgeHost, nextWave, type Exchange, type HostEvidenceInput } from '@app/detectors';
import { paymentRails } from '@app/reports';
import { exchange, failure, json, plain } from '../../../test/support/evidence';
import { JudgingThreads } from '../src/judging/judging-threads';
import { ThreadLink } from '../src/judging/thread-link';

const BUILT = resolve('dist/apps/worker/src/judging/judging-thread.js');
const ORIGIN = 'https://shop.example.com';
const known = (...exchanges: readonly Exchange[]): HostEvidenceInput => ({
  domain: 'shop.example.com',
  origin: ORIGIN,
  site: 'example.com',
  exchanges,
});
const at = (path: string, reply: Parameters<typeof exchange>[2]) => exchange('GET', `${ORIGIN}${path}`, reply);

describe('the threads that read documents', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(() => Promise.all(open.splice(0).map((threads) => threads.close())));

  async function started(file = BUILT): Promise<JudgingThreads> {
    const threads = new JudgingThreads(file);
    open.push(threads);
    await threads.start();
    return threads;
  }

  /** The entry of a thread that does something else. */
  async function entry(source: string): Promise<string> {
    const file = join(await mkdtemp(join(tmpdir(), 'hostprobe-thread-')), 'thread.js');
    await writeFile(file, `const { parentPort } = require('node:worker_threads');\n${source}`);
    return file;
  }

  it('plan and judge as the detectors do on the spot', async () => {
    const threads = await started();
    const card = json({ name: 'Shop', url: `${ORIGIN}/a2a`, version: '1', skills: [] });
    const first = known(at('/', plain('<h1>Shop</h1>')), at('/.well-known/agent-card.json', card));
    const all = known(...first.exchanges, at('/llms.txt', plain('# Shop\n')), at('/openapi.json', failure('timeout')));
    await threads.with({ kind: 'host' }, async (look) => {
      expect(await look.plan('presence', first)).toEqual(nextWave(DETECTORS, 'presence', new HostEvidence(first)));
      const seen = new HostEvidence(all);
      const { rails, ...verdicts } = await look.verdicts(all);
      expect(verdicts).toEqual(judgeHost(DETECTORS, seen));
      expect(rails).toEqual(paymentRails(seen));
    });
  });

  it('are sent every exchange and every body once', async () => {
    const threads = await started();
    const page = plain('the same page for everything');
    const first = known(at('/', page), at('/llms.txt', page));
    const spy = jest.spyOn(ThreadLink.prototype, 'ask');
    await threads.with({ kind: 'protocol', protocol: 'llms' }, async (look) => {
      await look.plan('presence', first);
      const { cells } = await look.verdicts(known(...first.exchanges, at('/third', page)));
      expect(cells.map(({ id }) => id)).toEqual(['llms']);
    });
    const sent = spy.mock.calls.map(([{ added }]) => added.map((e) => e.kind === 'answer' && e.body));
    spy.mockRestore();
    expect(sent).toEqual([['the same page for everything', null], [null]]);
  });

  it('that die fail the looks they had, and are replaced for the next one', async () => {
    const file = await entry(`parentPort.postMessage({ ready: true });
      parentPort.on('message', ({ task }) => { if (task.phase) process.exit(1); parentPort.postMessage({ id: 1, answer: 'alive' }); });`);
    const threads = await started(file);
    const ask = (): Promise<unknown> =>
      threads.with({ kind: 'host' }, (look) => look.plan('presence', known(at('/', plain('x')))));
    await expect(ask()).rejects.toThrow('a judging thread ended');
    const next = await threads.with({ kind: 'host' }, (look) => look.verdicts(known()));
    expect(next).toBe('alive');
  });

  it('that have read much are replaced when they have nothing to do, and not before', async () => {
    const threads = new JudgingThreads(BUILT, 1_000);
    open.push(threads);
    await threads.start();
    const spy = jest.spyOn(ThreadLink.prototype, 'ask');
    const used = () => new Set(spy.mock.contexts as readonly ThreadLink[]);
    const look = (body: string) =>
      threads.with({ kind: 'host' }, async (judged) => {
        await judged.plan('presence', known(at('/', plain(body))));
        return judged.verdicts(known(at('/', plain(body)), at('/llms.txt', plain(body))));
      });
    expect((await look('x'.repeat(2_000))).cells).toHaveLength(DETECTORS.length);
    expect(used().size).toBe(1);
    expect((await look('short')).cells).toHaveLength(DETECTORS.length);
    expect((await look('short')).cells).toHaveLength(DETECTORS.length);
    const links = used();
    spy.mockRestore();
    expect(links.size).toBe(2);
    expect([...links].map(({ dead }) => dead)).toEqual([true, false]);
  });

  it('that use more memory than they have end alone', async () => {
    const file = await entry(`parentPort.postMessage({ ready: true });
      parentPort.on('message', () => { const hoard = []; for (;;) hoard.push(new Array(1e6).fill(Math.random())); });`);
    const threads = await started(file);
    const look = threads.with({ kind: 'host' }, (judged) => judged.verdicts(known()));
    await expect(look).rejects.toThrow(/a judging thread (failed|ended|did not answer)/);
  });

  it('that never answer are given up', async () => {
    const link = new ThreadLink(await entry(`parentPort.on('message', () => { for (;;); });`), 50);
    open.push(link);
    const update = {
      look: 1,
      subject: { kind: 'host' },
      domain: 'a.example',
      origin: ORIGIN,
      site: 'a',
      added: [],
    } as const;
    await expect(link.ask(update, { task: 'verdicts' })).rejects.toThrow('a judging thread did not answer');
    expect(link.dead).toBe(true);
  });

  it('that cannot be loaded stop the start', async () => {
    await expect(started('/nowhere/thread.js')).rejects.toThrow(/Cannot find module/);
  });
});
