import fc from 'fast-check';
import { DETECTORS, findDetector, HOST_INQUIRIES, HostEvidence, judgeHost } from '@app/detectors';
import type { CollectedEvidence, ProbeLimits } from '@app/probing';
import { answeredIn, assembleFacts, originFrom, paymentRails, payPreflight, reachableFrom } from '@app/reports';
import { challengeV1, paywalled } from './support/challenges';
import { html, json, plain, status } from './support/evidence';
import { probeInMemory, type MemoryReply } from './support/memory-host';
import { routeOf } from './support/memory-route';
import { hostName, testProber } from './support/probing';
import { startTcpHost, startTestHost, type TestHost } from './support/test-host';

/** Port 80's responses to every path. None of them counts for the host. */
const PLAIN: Readonly<Record<string, MemoryReply>> = {
  'a page': html(),
  'one document for every path': json(challengeV1()),
  'not found': status(404),
  'an error': status(503),
  'a rate limit': status(429, { headers: { 'retry-after': '60' } }),
  'a price': paywalled(),
  'a bot wall': html('<title>Just a moment...</title>', { status: 403, headers: { 'cf-mitigated': 'challenge' } }),
  'a login': { ...status(302), location: '/login' },
  'a redirect to https': { ...status(301), location: 'https://shop.example.com/' },
  nothing: plain(''),
};
const REASONS = [
  'connect_refused',
  'connect_timeout',
  'connection_reset',
  'tls_error',
  'protocol_error',
  'timeout',
] as const;
const PROTOCOLS = DETECTORS.map(({ id }) => id).filter((id) => id !== 'acp');

/** Everything except ACP, which cannot be detected, is an error for this reason, and the report is sold. */
function expectUnseen(seen: CollectedEvidence, reason: string, ids: readonly string[] = PROTOCOLS): void {
  const evidence = new HostEvidence(seen);
  const detectors = DETECTORS.filter(({ id }) => ids.includes(id));
  const { tooSlow, ...judged } = judgeHost(detectors, evidence);
  const host = hostName();
  const facts = assembleFacts({
    host,
    origin: originFrom(host, seen.exchanges),
    reachable: reachableFrom(seen.exchanges),
    ...judged,
    rails: paymentRails(evidence),
    clocks: {},
  });
  expect(tooSlow).toBe(false);
  expect(facts).toMatchObject({ reachable: true, origin: 'http://shop.example.com', fixes: [] });
  const told = facts.protocols.map(({ id, status: now, details }) => [id, now, details['reason']]);
  expect(told).toEqual(ids.map((id) => [id, 'error', reason]));
  const probe = { observedAt: '2026-11-01T12:00:00.000Z', source: 'live', now: new Date() } as const;
  if (ids === PROTOCOLS) expect(payPreflight(facts, { intent: 'api' }, probe).canPay).toBe('unknown');
}

describe('a host that only speaks plain http', () => {
  it('is reachable, and every cell has the reason why https failed', async () => {
    const members = fc.record({
      said: fc.constantFrom(...Object.values(PLAIN)),
      reason: fc.constantFrom(...REASONS),
      protocol: fc.constantFrom(undefined, undefined, ...PROTOCOLS),
      phases: fc.constantFrom(['presence'] as const, ['presence', 'callability'] as const),
    });
    await fc.assert(
      fc.asyncProperty(members, async ({ said, reason, protocol, phases }) => {
        const detectors = protocol === undefined ? HOST_INQUIRIES : [findDetector(protocol)!];
        const answer = ({ url }: { readonly url: URL }) => (url.protocol === 'http:' ? said : { failure: reason });
        const seen = await probeInMemory(answer, { detectors, phases });
        expectUnseen(seen, reason, protocol === undefined ? PROTOCOLS : [protocol]);
        expect(seen.log.filter((line) => line.includes('http://'))).toEqual(['GET http://shop.example.com/']);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a host whose port 443', () => {
  const hosts: TestHost[] = [];
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

  const probe = async (secure: TestHost, said: MemoryReply, limits: Partial<ProbeLimits> = {}) => {
    const open = await startTestHost({ '*': routeOf(() => said) }, { plain: true });
    hosts.push(secure, open);
    const connectTo = [secure.as('shop.example.com'), open.as('shop.example.com', 80)].join();
    const prober = await testProber({ connectTo, limits });
    const options = { detectors: HOST_INQUIRIES, phases: ['presence', 'callability'] } as const;
    return prober.collect(hostName(), options).finally(() => prober.close());
  };
  const refusing = async () => {
    const closed = await startTestHost({});
    await closed.close();
    return { ...closed, close: () => Promise.resolve() };
  };
  const MODES: Readonly<Record<string, readonly [reason: string, start: () => Promise<TestHost>]>> = {
    'refuses connections': ['connect_refused', refusing],
    'never starts TLS': ['connect_timeout', () => startTcpHost(() => undefined)],
    'resets connections': ['connection_reset', () => startTcpHost((socket) => socket.resetAndDestroy())],
    'ends connections': ['connection_reset', () => startTcpHost((socket) => socket.end())],
    'speaks plain http': ['tls_error', () => startTcpHost((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
    'supports only TLS 1.1': [
      'tls_error',
      () => startTestHost({}, { tls: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } }),
    ],
    'has an expired certificate': ['tls_error', () => startTestHost({}, { certificate: 'expired' })],
    'has a self-signed certificate': ['tls_error', () => startTestHost({}, { certificate: 'self_signed' })],
    'has a certificate for another name': ['tls_error', () => startTestHost({}, { certificate: 'other_name' })],
  };

  it.each(Object.entries(MODES))('%s is reported by the answer of port 80', async (mode, [reason, start]) => {
    for (const said of ['a page', 'a price', 'a redirect to https']) {
      const seen = await probe(await start(), PLAIN[said]!, { tlsMs: 100 });
      expectUnseen(seen, reason);
      // An invalid certificate counts as an outage, whatever port 80 answers.
      expect(answeredIn(seen.exchanges).outcome).toBe(mode.includes('certificate') ? 'down' : 'up');
    }
  });
});
