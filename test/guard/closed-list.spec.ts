import type { Exchange } from '@app/detectors';
import { HostName, parseProbeUrl, type ProbeUrl } from '@app/hosts';
import { endpointHealth } from '@app/reports';
import { asking, exchangeAt, get, hostName, testProber } from '../support/probing';
import { redirects, says, startTestHost, type TestHost } from '../support/test-host';

/** Internal addresses, about which no caller may learn anything. Each is refused for a different reason. */
const INSIDE = ['127.0.0.1', '10.9.8.7', '169.254.169.254', '100.64.0.1', '168.63.129.16', '::1', 'fd00:ec2::254'];
const LITERALS = INSIDE.filter((address) => !address.includes(':'));

const TARGET = 'https://inside.example.com/secret';
const targetUrl = (): ProbeUrl => {
  const reading = parseProbeUrl(TARGET);
  if (!reading.ok) throw new Error(reading.reason);
  return reading.url;
};

/** Everything by which a caller could distinguish targets, except the time. */
const told = (exchange: Exchange): unknown => ({ ...exchange, observedAt: '' });

describe('the error about an internal target', () => {
  const hosts: TestHost[] = [];
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

  const proberFor = async (address: string, connectTo = '') =>
    testProber({ connectTo, resolver: { resolve: () => Promise.resolve([address]) } });

  /** Asks the same question about every internal address. @returns the distinct responses */
  async function answers(ask: (address: string) => Promise<unknown>): Promise<readonly unknown[]> {
    const texts = new Set<string>();
    for (const address of INSIDE) texts.add(JSON.stringify(await ask(address)));
    for (const text of texts) for (const address of INSIDE) expect(text).not.toContain(`"${address}`);
    return [...texts].map((text) => JSON.parse(text) as unknown);
  }

  /** A host whose documents and redirects lead to internal addresses. */
  async function startGuide(): Promise<TestHost> {
    const host = await startTestHost({
      '/': says('<h1>Shop</h1>', { 'content-type': 'text/html' }),
      '/moved': redirects(TARGET),
      '/card.json': says(JSON.stringify({ url: TARGET })),
    });
    hosts.push(host);
    return host;
  }

  it('is the same for every full probe', async () => {
    const seen = await answers(async (address) => {
      const prober = await proberFor(address);
      const probe = await prober.collect(hostName('inside.example.com'), { detectors: [], phases: ['presence'] });
      return { stoppedBy: probe.stoppedBy, requests: probe.requests, reasons: probe.exchanges.map((e) => e.kind) };
    });
    expect(seen).toHaveLength(1);
    expect(seen).toMatchObject([{ stoppedBy: 'address_refused' }]);
  });

  it.each(['GET', 'POST'] as const)('is the same for endpoint checks by %s', async (method) => {
    const seen = await answers(async (address) => {
      const prober = await proberFor(address);
      const { timingsMs, ...health } = endpointHealth(targetUrl(), await prober.probe(targetUrl(), method));
      return { ...health, checkedAt: '', timingsMs: { ...timingsMs, total: 0 } };
    });
    expect(seen).toEqual([
      {
        url: TARGET,
        method,
        up: false,
        statusCode: null,
        redirectedTo: null,
        charges: null,
        tls: null,
        timingsMs: { dns: null, connect: null, tls: null, firstByte: null, total: 0 },
        checkedAt: '',
        reason: 'address_refused',
      },
    ]);
  });

  it('is the same behind a redirect', async () => {
    const guide = await startGuide();
    const seen = await answers(async (address) => {
      const prober = await proberFor(address, guide.as('shop.example.com'));
      const probe = await prober.collect(hostName(), { detectors: [asking([get('/moved')])], phases: ['presence'] });
      return told(exchangeAt(probe, '/moved'));
    });
    expect(seen).toMatchObject([{ kind: 'failure', reason: 'address_refused', redirects: [{ location: TARGET }] }]);
  });

  it.each(['presence', 'callability'] as const)('is the same for a URL in a document, in %s', async (phase) => {
    const guide = await startGuide();
    const more = phase === 'presence' ? { followUps: () => [get(TARGET)] } : { exercises: () => [get(TARGET)] };
    const seen = await answers(async (address) => {
      const prober = await proberFor(address, guide.as('shop.example.com'));
      const probe = await prober.collect(hostName(), {
        detectors: [asking([get('/card.json')], more)],
        phases: ['presence', 'callability'],
      });
      expect(exchangeAt(probe, '/card.json')).toMatchObject({ kind: 'answer', status: 200 });
      return told(exchangeAt(probe, TARGET));
    });
    expect(seen).toMatchObject([{ kind: 'failure', reason: 'address_refused', phase, redirects: [] }]);
  });

  it('is the same for IP literals, wherever they can occur', async () => {
    const urls = LITERALS.map((address) => parseProbeUrl(`https://${address}/`));
    expect(new Set(urls.map((reading) => JSON.stringify(reading))).size).toBe(1);
    const names = LITERALS.map((address) => HostName.parse(address));
    expect(new Set(names.map((reading) => JSON.stringify(reading))).size).toBe(1);
    const reasons = new Set<unknown>();
    for (const address of LITERALS) {
      const host = await startTestHost({
        '/': says('<h1>Shop</h1>', { 'content-type': 'text/html' }),
        '/moved': redirects(`https://${address}/`),
      });
      hosts.push(host);
      const prober = await proberFor('45.33.32.156', host.as('shop.example.com'));
      const inquiry = asking([get('/moved'), get(`https://${address}/`)]);
      const probe = await prober.collect(hostName(), { detectors: [inquiry], phases: ['presence'] });
      const moved = exchangeAt(probe, '/moved');
      reasons.add(moved.kind === 'failure' && moved.reason);
      expect(probe.exchanges.some(({ url }) => url.includes(address))).toBe(false); // Another site is not even tried.
    }
    expect([...reasons]).toEqual(['redirect_refused']);
  });
});
