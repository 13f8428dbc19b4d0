import { DETECTORS, requestsOf } from '@app/detectors';
import { FREE_RUNS } from '@app/storage';
import { hostName } from '../../../test/support/probing';
import { orderOf, outcomeOf, potOf, readRun, requestsIn, type RunRequest } from './run-contract';

const host = hostName();
const REQUESTS: readonly RunRequest[] = [
  { kind: 'host', host },
  { kind: 'presence', host },
  { kind: 'protocol', host, protocol: 'ucp' },
  { kind: 'protocol', host, protocol: 'mcp' },
  { kind: 'endpoint_health', host, url: 'https://shop.example.com/a', method: 'GET' },
  { kind: 'endpoint_health', host, url: 'https://shop.example.com/a', method: 'POST' },
  { kind: 'endpoint_health', host, url: 'https://shop.example.com/b', method: 'GET' },
  { kind: 'payto_check', host },
  { kind: 'host', host: hostName('other.example.com') },
];

describe('the contract of runs', () => {
  it.each(REQUESTS)('passes $kind unchanged from the gateway to the worker', (request) => {
    const { kind, domain, args } = orderOf(request);
    const row = { id: 'run-1', kind, domain, args: JSON.parse(JSON.stringify(args)) as unknown };
    expect(readRun(row)).toEqual({ id: 'run-1', ...request });
  });

  it('gives equal requests, and only those, the same subject', () => {
    expect(new Set(REQUESTS.map((request) => orderOf(request).subject)).size).toBe(REQUESTS.length);
    const [one, same] = [
      { kind: 'endpoint_health', host, url: 'https://shop.example.com/a', method: 'GET' },
      { method: 'GET', url: 'https://shop.example.com/a', host, kind: 'endpoint_health' },
    ] as const;
    expect(orderOf(one).subject).toBe(orderOf(same).subject);
  });

  it.each([
    ...REQUESTS,
    { kind: 'presence', host, pot: 'scheduled' },
    { kind: 'watch', host },
    { kind: 'watch', host, pot: 'owner' },
    { kind: 'claim_check', host, claim: 'c' },
  ] as const satisfies readonly RunRequest[])('is a paid run if $kind uses the budget of buyers', (request) => {
    expect(FREE_RUNS.includes(request.kind)).toBe(potOf(request) !== 'paid');
  });

  it('counts the requests of each kind, so that a smaller run has a lower weight', () => {
    const [whole, presence, ucp, , endpoint, , , payee] = REQUESTS.map(requestsIn);
    expect([whole, presence, endpoint]).toEqual([26, 21, 1]);
    expect(ucp).toBe(requestsOf(DETECTORS.filter(({ id }) => id === 'ucp')));
    expect(payee).toBeLessThan(26);
  });

  it.each([
    ['without a kind', { kind: 'constructor', domain: 'shop.example.com', args: {} }],
    ['without a host', { kind: 'host', domain: '10.0.0.1', args: {} }],
    ['without its arguments', { kind: 'protocol', domain: 'shop.example.com', args: null }],
    [
      'with a method that probes do not use',
      { kind: 'endpoint_health', domain: 'a.example.com', args: { url: '', method: 'PUT' } },
    ],
  ])('refuses a row %s', (_what, row) => {
    expect(() => readRun({ id: 'run-1', ...row })).toThrow();
  });

  it('passes an outcome on unchanged, including unknown fields', () => {
    const written = { probedAt: '2026-11-01T12:00:00.000Z', domain: 'shop.example.com', later: true };
    expect(outcomeOf('host', written)).toBe(written);
  });

  it.each([
    ['host', null],
    ['presence', { domain: 'shop.example.com', skipped: { reason: 'mood', at: '2026-11-01T12:00:00.000Z' } }],
    ['protocol', { domain: 'shop.example.com', probedAt: '2026-11-01T12:00:00.000Z' }],
    ['endpoint_health', { url: 'https://shop.example.com/', up: 'yes' }],
    ['payto_check', { reachable: true }],
  ] as const)('rejects an invalid outcome of %s', (kind, outcome) => {
    expect(() => outcomeOf(kind, outcome)).toThrow();
  });
});
