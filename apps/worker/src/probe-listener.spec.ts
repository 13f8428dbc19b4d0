import type { Exchange } from '@app/detectors';
import type { Prober } from '@app/probing';
import { parseProbeUrl } from '@app/hosts';
import { asking, exchangeAt, get, hostName, testProber } from '../../../test/support/probing';
import { redirects, says, startTestHost, type Route, type TestHost } from '../../../test/support/test-host';
import { skippedAt } from './jobs/back-off';
import { OutOfTimeError } from './jobs/host-too-slow';
import { probeListener } from './probe-listener';

const hosts: TestHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

const SILENT: Route = () => undefined;
const slowDown = (retryAfter: string, status = 429): Route => says('slow down', { 'retry-after': retryAfter }, status);

/** A prober with a listener that records the back-off of each name and the counters. */
async function listenedTo(connectTo: string) {
  const backOffs: Record<string, number> = {};
  const counted: Exchange[] = [];
  const backOff = (name: string, seconds: number) => Promise.resolve(void (backOffs[name] = seconds));
  const asked = (exchanges: readonly Exchange[]) => void counted.push(...exchanges);
  const listener = probeListener({ backOff }, { asked, phase: () => undefined });
  return { prober: await testProber({ connectTo, listener }), backOffs, counted };
}

/** Probes `shop.example.com`, and returns the back-off of each name. */
async function backOffsAfter(routes: Readonly<Record<string, Route>>, paths: readonly string[], robots = false) {
  const host = await startTestHost({ '/': says('<h1>Shop</h1>'), ...routes });
  hosts.push(host);
  const connectTo = ['shop.example.com', 'api.example.com'].map((name) => host.as(name)).join();
  const { prober, backOffs } = await listenedTo(connectTo);
  const seen = await prober.collect(hostName(), {
    detectors: [asking(paths.map((path) => get(path)))],
    phases: ['presence'],
    ...(robots ? { mayProbe: () => Promise.resolve(true) } : {}),
  });
  return { backOffs, seen, host };
}

describe('a host that sends Retry-After', () => {
  it.each([
    ['429', 429, 30],
    ['503', 503, 30],
    ['a 404 for an unknown request', 404, undefined],
  ])('with %s gets no requests for that time', async (_, status, seconds) => {
    const { backOffs } = await backOffsAfter({ '/doc': slowDown('30', status) }, ['/doc']);
    expect(backOffs['shop.example.com']).toBe(seconds);
  });

  it('twice gets no requests for the longer time', async () => {
    const { backOffs } = await backOffsAfter({ '/a': slowDown('200'), '/b': slowDown('20') }, ['/a', '/b']);
    expect(backOffs).toEqual({ 'shop.example.com': 200 });
  });

  it('under another name of its site gets no requests under both names', async () => {
    const there = { '/pay': redirects('https://api.example.com/v1'), '/v1': slowDown('60') };
    const { backOffs } = await backOffsAfter(there, ['/pay']);
    expect(backOffs).toEqual({ 'shop.example.com': 60, 'api.example.com': 60 });
  });

  it('instead of its robots.txt is not crawled', async () => {
    const { backOffs, seen, host } = await backOffsAfter({ '/robots.txt': slowDown('90', 503) }, ['/doc'], true);
    expect(backOffs).toEqual({ 'shop.example.com': 90 });
    expect(seen.disallowedByRobots).toBe(true);
    expect(host.requests).toEqual(['GET /robots.txt']);
  });

  it.each([
    ['429 and seconds', slowDown('90'), { reason: 'rate_limited' }, 90],
    ['503 and more seconds than we wait', slowDown('9'.repeat(15), 503), { reason: 'unavailable' }, 900],
    ['a robots.txt', says('User-agent: hostprobe\nDisallow: /\n'), { reason: 'robots_txt' }, undefined],
  ])('with %s has its probe skipped for that', async (_, route, reason, seconds) => {
    const { seen } = await backOffsAfter({ '/robots.txt': route }, [], true);
    const [robots] = seen.exchanges;
    const { at, until, ...said } = skippedAt(robots!);
    expect([said, at]).toEqual([reason, robots!.observedAt]);
    expect(until && (Date.parse(until) - Date.parse(at)) / 1_000).toBe(seconds);
  });
});

async function proberOf(
  routes: Readonly<Record<string, Route>>,
): Promise<{ prober: Prober; counted: readonly Exchange[] }> {
  const host = await startTestHost(routes);
  hosts.push(host);
  return listenedTo(host.as('shop.example.com'));
}

describe('a probe that waited in the queue past its deadline', () => {
  const probe = { detectors: [], phases: ['presence'] } as const;

  it('does not count as a probe', async () => {
    const { prober, counted } = await proberOf({ '*': SILENT });
    for (const deadlineMs of [-1_000, 100]) {
      await expect(prober.collect(hostName(), { ...probe, deadlineMs })).rejects.toThrow(OutOfTimeError);
    }
    expect(counted).toEqual([]);
  });

  it('counts with the results it has', async () => {
    const { prober, counted } = await proberOf({ '/doc': SILENT, '*': says('{}') });
    const options = { detectors: [asking([get('/doc')])], phases: ['presence'], deadlineMs: 2_000 } as const;
    const seen = await prober.collect(hostName(), options);
    expect(seen.exchanges[0]).toMatchObject({ kind: 'answer', status: 200 });
    expect(exchangeAt(seen, '/doc')).toMatchObject({ reason: 'budget_spent' });
    expect(counted).toEqual(seen.exchanges);
  });

  it('counts as a probe if the host disallows probes', async () => {
    const { prober, counted } = await proberOf({ '*': says('{}') });
    const seen = await prober.collect(hostName(), { ...probe, mayProbe: () => Promise.resolve(false) });
    expect(seen).toMatchObject({
      disallowedByRobots: true,
      exchanges: [{ url: 'https://shop.example.com/robots.txt' }],
    });
    expect(counted).toEqual([]);
  });

  it('of one endpoint does not count either', async () => {
    const { prober, counted } = await proberOf({ '*': SILENT });
    const reading = parseProbeUrl('https://shop.example.com/pay');
    if (!reading.ok) throw new Error(reading.sentence);
    await expect(prober.probe(reading.url, 'GET', AbortSignal.timeout(50))).rejects.toThrow(OutOfTimeError);
    expect(counted).toEqual([]);
  });
});
