import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setImmediate as drained } from 'node:timers/promises';
import { createSender, type Sender, type SenderConfig } from '@app/probing';
import { says, startTcpHost, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';

const HOOK = 'https://hook.example.com/alerts';

/** Bodies that never complete: headers, and what is sent after them. */
const BROKEN: Readonly<Record<string, readonly [OutgoingHttpHeaders, (response: ServerResponse) => void]>> = {
  drips: [{}, (response) => response.write('a')],
  resets: [{ 'content-length': '9' }, (response) => response.write('a', () => response.destroy())],
  'is-no-gzip': [{ 'content-encoding': 'gzip' }, (response) => response.end('a')],
  'has-an-unknown-coding': [{ 'content-encoding': 'x-other' }, (response) => response.end('a')],
};

describe('a message to a URL from a stranger', () => {
  let host: TestHost;
  let silent: TestHost;

  beforeAll(async () => {
    silent = await startTcpHost(() => undefined);
    host = await startTestHost({
      '/alerts': says('thank you'),
      '/wait': says('', { 'retry-after': '120' }, 503),
      '*': (request, response) => {
        const [, , way = '', status] = (request.url ?? '').split('/');
        const [headers, body] = BROKEN[way]!;
        response.writeHead(Number(status), { 'retry-after': '7', ...headers });
        body(response);
      },
      '/long': says(Buffer.alloc(100_000, 'a')),
      '/slow': (_request, response) => {
        response.writeHead(200).write('a');
        const dripping = setInterval(() => response.write('a'), 1_000);
        response.on('close', () => {
          clearInterval(dripping);
        });
      },
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  afterAll(() => Promise.all([host, silent].map((one) => one.close())));

  async function sender(config: Partial<SenderConfig> = {}): Promise<Sender> {
    return createSender({
      userAgent: 'hostprobe/test',
      caFile: await testCaFile(),
      connectTo: [host.as('hook.example.com'), silent.as('silent.example.com')].join(','),
      resolver: { resolve: () => Promise.resolve([]) },
      ...config,
    });
  }
  const sent = async (url: string, config: Partial<SenderConfig> = {}) =>
    (await sender(config)).send(url, { 'x-a': 'b' }, '{"c":1}');

  it('arrives with its headers and our user agent, without cookies', async () => {
    const before = host.received.length;
    expect(await sent(HOOK)).toEqual({ kind: 'answer', status: 200, retryAfter: '', body: 'thank you' });
    const [request] = host.received.slice(before);
    expect(request).toMatchObject({ method: 'POST', headers: { 'x-a': 'b', 'user-agent': 'hostprobe/test' } });
    expect(Object.keys(request!.headers).filter((name) => /cookie|authorization/.test(name))).toEqual([]);
  });

  it('is not sent to a name that opted out or belongs to this service', async () => {
    const before = host.connections();
    expect(await sent(HOOK, { optedOut: (name) => name === 'hook.example.com' })).toMatchObject({ kind: 'failure' });
    expect(host.connections()).toBe(before);
  });

  it("returns the receiver's Retry-After", async () => {
    expect(await sent('https://hook.example.com/wait')).toMatchObject({ status: 503, retryAfter: '120' });
  });

  it('reads at most 16 KiB of an answer', async () => {
    const answer = await sent('https://hook.example.com/long');
    expect(answer.kind === 'answer' && answer.body.length).toBe(16 * 1_024);
  });

  it('times out if the receiver is slow', async () => {
    const outcome = await sent('https://silent.example.com/', { limits: { hostMs: 300 } });
    expect(outcome).toEqual({ kind: 'failure', reason: 'timeout' });
  });

  it.each([200, 410, 429, 503])('keeps the status %i of a receiver with a faulty body', async (status) => {
    for (const way of Object.keys(BROKEN)) {
      const outcome = await sent(`https://hook.example.com/broken/${way}/${status}`, { limits: { hostMs: 300 } });
      expect([way, outcome]).toEqual([way, { kind: 'answer', status, retryAfter: '7', body: '' }]);
    }
  });

  it('times out after 15 seconds in production, even if the receiver keeps sending', async () => {
    const one = await sender();
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance', 'queueMicrotask'] });
    const before = host.requests.length;
    let outcome: unknown;
    const sending = one.send('https://hook.example.com/slow', {}, '{}').then((sent) => (outcome = sent));
    while (host.requests.length === before) await drained();
    jest.advanceTimersByTime(14_999);
    for (let i = 0; i < 100; i += 1) await drained();
    expect(outcome).toBeUndefined();
    jest.advanceTimersByTime(1);
    await sending;
    expect(outcome).toEqual({ kind: 'answer', status: 200, retryAfter: '', body: '' });
  });

  it('is aborted when this process stops', async () => {
    const one = await sender();
    const before = silent.connections();
    const sending = one.send('https://silent.example.com/', {}, '{}');
    while (silent.connections() === before) await drained();
    one.close();
    expect(await sending).toEqual({ kind: 'failure', reason: 'budget_spent' });
  });
});
