import fc from 'fast-check';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  DETECTORS,
  HOST_INQUIRIES,
  HostEvidence,
  judgeHost,
  nextWave,
  type Exchange,
  type HostEvidenceInput,
} from '@app/detectors';
import { offeredRails, paymentRails } from '@app/reports';
import { until } from '../../../test/support/until';
import { exchange, failure, json, plain } from '../../../test/support/evidence';
import { JudgingThreads } from '../src/judging/judging-threads';
import type { JudgingListener } from '../src/judging/task';
import { WorkerChannel } from '../src/judging/worker-channel';

const BUILT = resolve('dist/apps/worker/src/judging/judging-thread.js');
const ORIGIN = 'https://shop.example.com';
const known = (...exchanges: readonly Exchange[]): HostEvidenceInput => ({
  domain: 'shop.example.com',
  origin: ORIGIN,
  site: 'example.com',
  exchanges,
});
const at = (path: string, reply: Parameters<typeof exchange>[2]) => exchange('GET', `${ORIGIN}${path}`, reply);

describe('detector threads', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(() => Promise.all(open.splice(0).map((threads) => threads.close())));

  const ended: Error[] = [];
  const listener: JudgingListener = {
    onDetectorFailure: () => undefined,
    onThreadEnd: (error) => void ended.push(error),
  };
  beforeEach(() => {
    ended.length = 0;
  });

  async function started(file = BUILT, wornBytes?: number): Promise<JudgingThreads> {
    const threads = new JudgingThreads(file, listener, wornBytes);
    open.push(threads);
    return threads.ready();
  }

  /** The entry file of a thread with the given source. */
  async function entry(source: string): Promise<string> {
    const file = join(await mkdtemp(join(tmpdir(), 'hostprobe-thread-')), 'thread.js');
    await writeFile(file, `const { parentPort } = require('node:worker_threads');\n${source}`);
    return file;
  }

  it('plan and evaluate like the detectors in the main thread', async () => {
    const threads = await started();
    const card = json({ name: 'Shop', url: `${ORIGIN}/a2a`, version: '1', skills: [] });
    const first = known(at('/', plain('<h1>Shop</h1>')), at('/.well-known/agent-card.json', card));
    const all = known(...first.exchanges, at('/llms.txt', plain('# Shop\n')), at('/openapi.json', failure('timeout')));
    await threads.with({ kind: 'host' }, async (probe) => {
      expect(await probe.plan('presence', first)).toEqual(
        nextWave(HOST_INQUIRIES, 'presence', new HostEvidence(first)),
      );
      const seen = new HostEvidence(all);
      const { rails, offered, ...judgement } = await probe.judge(all);
      expect(judgement).toEqual(judgeHost(DETECTORS, seen));
      expect(rails).toEqual(paymentRails(seen));
      expect(offered).toEqual(offeredRails(seen));
    });
  });

  it('receive every exchange and every body once', async () => {
    const threads = await started();
    const page = plain('the same page for everything');
    const first = known(at('/', page), at('/llms.txt', page));
    const spy = jest.spyOn(WorkerChannel.prototype, 'ask');
    await threads.with({ kind: 'protocols', protocols: ['llms'] }, async (probe) => {
      await probe.plan('presence', first);
      const { cells } = await probe.judge(known(...first.exchanges, at('/third', page)));
      expect(cells.map(({ id }) => id)).toEqual(['llms']);
    });
    const sent = spy.mock.calls.map(([{ added }]) => added.map((e) => e.kind === 'answer' && e.body));
    spy.mockRestore();
    expect(sent).toEqual([['the same page for everything', null], [null]]);
  });

  /** A thread that fails in the way that the origin of a probe names, and otherwise returns that origin. */
  const ILL = `parentPort.postMessage({ ready: true });
    parentPort.on('message', ({ kind, id, update }) => {
      if (kind === 'close') return;
      if (update.origin === 'exit') process.exit(1);
      if (update.origin === 'throw') throw new Error('planted');
      if (update.origin === 'hoard') { const hoard = []; for (;;) hoard.push(new Array(1e6).fill(Math.random())); }
      if (update.origin === 'loop') for (;;);
      parentPort.postMessage({ id, answer: { origin: update.origin, failures: [] } });
    });`;
  const ask = (threads: JudgingThreads, origin: string, free = false): Promise<unknown> =>
    threads[free ? 'withFree' : 'with']({ kind: 'host' }, (probe) =>
      probe.judge({ ...known(at('/', plain(origin === 'sound' ? '' : 'x'.repeat(1_000)))), origin }),
    );

  it('crashed by a probe are replaced, and every other probe gets its answer', async () => {
    const threads = await started(await entry(ILL));
    const origins = fc.array(fc.constantFrom('sound', 'sound', 'exit', 'throw'), { minLength: 2, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(origins, async (mixed) => {
        const outcomes = await Promise.allSettled(mixed.map((origin) => ask(threads, origin)));
        expect(outcomes.map(({ status }) => status)).toEqual(
          mixed.map((origin) => (origin === 'sound' ? 'fulfilled' : 'rejected')),
        );
      }),
      { numRuns: 15 },
    );
  });

  it.each(['hoard', 'loop'])(
    'crashed by probes with a %s answer the others first, and abandon these',
    async (fault) => {
      const threads = await started(await entry(ILL));
      const order: string[] = [];
      const asked = (origin: string): Promise<unknown> =>
        ask(threads, origin, true).finally(() => void order.push(origin));
      await Promise.all([
        expect(asked(fault)).rejects.toThrow(/a judging thread (failed|ended|did not respond)/),
        expect(asked(fault)).rejects.toThrow(/a judging thread (failed|ended|did not respond)/),
        ...Array.from({ length: 8 }, () => asked('sound')),
      ]);
      expect(order).toEqual([...Array<string>(8).fill('sound'), fault, fault]);
      await expect(ask(threads, 'sound', true)).resolves.toMatchObject({ origin: 'sound' });
    },
  );

  it('of free probes are separate from those of paid ones', async () => {
    const threads = await started(await entry(ILL));
    const order: string[] = [];
    const free = Array.from({ length: 4 }, () => ask(threads, 'loop', true).catch(() => order.push('free')));
    await Promise.all(Array.from({ length: 20 }, () => ask(threads, 'sound').then(() => order.push('paid'))));
    expect(new Set(order)).toEqual(new Set(['paid']));
    expect(ended).toEqual([]);
    void Promise.all(free);
  });

  it('that have read a lot are replaced when they are idle', async () => {
    const threads = await started(BUILT, 1_000);
    const spy = jest.spyOn(WorkerChannel.prototype, 'ask');
    const used = () => new Set(spy.mock.contexts as readonly WorkerChannel[]);
    const probe = (body: string) =>
      threads.with({ kind: 'host' }, async (judged) => {
        await judged.plan('presence', known(at('/', plain(body))));
        return judged.judge(known(at('/', plain(body)), at('/llms.txt', plain(body))));
      });
    expect((await probe('x'.repeat(2_000))).cells).toHaveLength(DETECTORS.length);
    expect(used().size).toBe(1);
    expect((await probe('short')).cells).toHaveLength(DETECTORS.length);
    expect((await probe('short')).cells).toHaveLength(DETECTORS.length);
    const links = used();
    spy.mockRestore();
    expect(links.size).toBe(2);
    expect([...links].map(({ dead }) => dead)).toEqual([true, false]);
    expect(ended).toEqual([]);
  });

  it('that crash while idle are reported', async () => {
    await started(
      await entry(`parentPort.postMessage({ ready: true }); setTimeout(() => { throw new Error('planted'); }, 20);`),
    );
    await until('the end of a thread', () => ended.length > 0);
    expect(String(ended[0])).toBe('Error: a judging thread failed: Error: planted');
  });

  it('report a bug in this program with its stack', async () => {
    const threads = await started();
    const probe = threads.with({ kind: 'protocols', protocols: ['nothing'] }, (judged) => judged.judge(known()));
    const error: unknown = await probe.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: 'there is no detector nothing',
      stack: expect.stringMatching(/probe-session-host\.js/),
    });
  });

  it('that never answer are abandoned', async () => {
    const link = new WorkerChannel(
      await entry(`parentPort.on('message', () => { for (;;); });`),
      listener.onThreadEnd,
      50,
    );
    open.push(link);
    const update = {
      probe: 1,
      subject: { kind: 'host' },
      domain: 'a.example',
      origin: ORIGIN,
      site: 'a',
      added: [],
      records: [],
    } as const;
    await expect(link.ask(update, { task: 'judge' })).rejects.toThrow('a judging thread did not respond');
    expect(link.dead).toBe(true);
  });

  it('that cannot be loaded make the start fail', async () => {
    await expect(started('/nowhere/thread.js')).rejects.toThrow(/Cannot find module/);
  });
});
