import {
  acceptV2,
  authenticates,
  challengeV2,
  paymentAuth,
  paywalled,
  paywalledInBody,
} from '../../../test/support/challenges';
import { exchange, failure, html, json, status, type Reply } from '../../../test/support/evidence';
import { endpointHealth, type TimedProbe } from './endpoint-health';
import { parseProbeUrl } from '@app/hosts';

const URL = 'https://api.example.com/v1/quote?symbol=A';
const timingsMs = { dns: 3, connect: 10, tls: 20, firstByte: 40, total: 75 };
const tls = { protocol: 'TLSv1.3', issuer: 'Example CA', validTo: '2027-01-01T00:00:00.000Z' };

function probe(reply: Reply, more: Partial<TimedProbe> & { method?: 'GET' | 'POST' } = {}) {
  const url = parseProbeUrl(URL);
  if (!url.ok) throw new Error(url.sentence);
  const { method = 'GET', ...rest } = more;
  return endpointHealth(url.url, { exchange: exchange(method, URL, reply), timingsMs, tls, ...rest });
}

describe('endpointHealth', () => {
  it('reports an endpoint that answers, with its phases and its certificate', () => {
    expect(probe(json({ ok: true }))).toEqual({
      url: URL,
      method: 'GET',
      up: true,
      statusCode: 200,
      redirectedTo: null,
      timingsMs,
      tls,
      charges: null,
      checkedAt: '2026-11-01T12:00:00.000Z',
      reason: null,
    });
  });

  it('counts a 402 with a readable challenge as up, with its price', () => {
    expect(probe(paywalled(), { method: 'POST' })).toMatchObject({
      method: 'POST',
      up: true,
      statusCode: 402,
      charges: [{ protocol: 'x402', amount: '20000', amountUsd: '0.02', httpMethod: 'POST', reasons: [] }],
    });
    expect(probe(paywalledInBody())).toMatchObject({ up: true, charges: [{ version: '1' }] });
    expect(probe(authenticates())).toMatchObject({ up: true, charges: [{ protocol: 'mpp' }] });
  });

  it('reports what is wrong with a readable option that cannot be paid', () => {
    const testnet = paywalled(challengeV2([acceptV2({ network: 'eip155:84532' })]));
    expect(probe(testnet)).toMatchObject({ up: true, charges: [{ testnet: true, reasons: expect.any(Array) }] });
  });

  it.each([
    ['a bare 402', status(402)],
    ['a 402 with an empty list of options', paywalled(challengeV2([]))],
    ['a 402 with an MPP challenge that names no method', authenticates(paymentAuth(undefined, { method: undefined }))],
    ['a dunning page', html('<h1>Pay your hosting bill</h1>', { status: 402 })],
  ])('does not count %s as up', (_, reply) => {
    expect(probe(reply)).toMatchObject({ up: false, statusCode: 402, charges: null, reason: 'challenge_unreadable' });
  });

  it.each([
    [404, false, 'not_found'],
    [410, false, 'not_found'],
    [500, false, 'server_error'],
    [503, false, 'server_error'],
    [429, true, 'rate_limited'],
    [401, true, 'auth_required'],
    [403, true, 'auth_required'],
  ])('reports %i as up: %s, %s', (code, up, reason) => {
    expect(probe(status(code))).toMatchObject({ up, reason, statusCode: code, charges: null });
  });

  it.each([400, 405, 415, 422])('counts %i as up: the endpoint needs a different request', (code) => {
    const health = probe(status(code));
    expect(health.up).toBe(true);
    expect(health.reason).toBeNull();
  });

  it('does not count a bot wall as the endpoint', () => {
    const wall = status(403, { headers: { 'cf-mitigated': 'challenge' } });
    expect(probe(wall)).toMatchObject({ up: false, reason: 'bot_challenge', statusCode: 403 });
  });

  it('reports the absolute target of a redirect without following it', () => {
    const moved = status(301, { headers: { location: '/v2/quote' } });
    expect(probe(moved)).toMatchObject({ up: true, statusCode: 301, redirectedTo: 'https://api.example.com/v2/quote' });
    expect(probe(status(302, { headers: { location: 'http://[' } })).redirectedTo).toBeNull();
    expect(probe(status(302, { headers: { location: `/${'a'.repeat(3_000)}` } })).redirectedTo).toBeNull();
    expect(probe(status(201, { headers: { location: '/made' } })).redirectedTo).toBeNull();
  });

  it('reports the failure of a request without an answer', () => {
    const health = probe(failure('tls_error'), { tls: null });
    expect(health).toMatchObject({ up: false, statusCode: null, tls: null, charges: null, reason: 'tls_error' });
  });

  it('removes invisible characters from the issuer name', () => {
    const named = probe(json({}), { tls: { ...tls, issuer: `Example\u202E CA\u0007` } });
    expect(named.tls?.issuer).toBe('Example CA');
  });
});
