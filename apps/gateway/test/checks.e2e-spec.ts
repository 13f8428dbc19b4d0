import type { EndpointHealth, PayPreflight, PayToCheck } from '@app/reports';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { acceptV2, base64, challengeV2 } from '../../../test/support/challenges';
import { balanceOf, newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { domainKey, jwsOffer, withOffers } from '../../../test/support/signed-offers';
import { says, startTestHost, type Route, type TestHost } from '../../../test/support/test-host';

const payee = privateKeyToAccount(generatePrivateKey());
const ORIGIN = 'https://shop.example.com';
const ROUTE = `${ORIGIN}/api/report`;
const OTHER = '0x1111111111111111111111111111111111111111';

interface Envelope<Data> {
  readonly sku: string;
  readonly data: Data;
}

const asks = (challenge: unknown): Route => says('{}', { 'payment-required': base64(challenge) }, 402);

async function startShop(): Promise<TestHost> {
  const accepts = [acceptV2({ payTo: payee.address })];
  const key = domainKey('signed.example.com');
  const offers = [await jwsOffer(key, 'https://signed.example.com/signed', OTHER)];
  const manifest = (path: string): Route => says(JSON.stringify({ x402Version: 2, resources: [path] }));
  const byHost =
    (routes: Readonly<Record<string, Route>>): Route =>
    (request, response) => {
      (routes[request.headers.host ?? ''] ?? says('', {}, 404))(request, response);
    };
  return startTestHost({
    '/': says('<!doctype html><title>Shop</title>', { 'content-type': 'text/html' }),
    '/.well-known/x402': byHost({
      'shop.example.com': manifest('/api/report'),
      'signed.example.com': manifest('/signed'),
      'wallet.example.com': says(
        JSON.stringify({
          x402Version: 2,
          resources: [],
          ownershipProofs: [await payee.signMessage({ message: 'https://wallet.example.com' })],
        }),
      ),
      'declared.example.com': says(JSON.stringify({ x402Version: 2, accepts })),
    }),
    '/.well-known/did.json': byHost({
      'signed.example.com': says(
        JSON.stringify({ id: 'did:web:signed.example.com', verificationMethod: [key.method] }),
      ),
    }),
    '/api/report': asks(challengeV2(accepts)),
    '/signed': asks(withOffers(offers, accepts)),
    '/fine': says('{"ok":true}'),
  });
}

describe('the utility checks', () => {
  let service: Service;
  let shop: TestHost;
  const names = ['shop', 'signed', 'wallet', 'declared', 'quiet'].map((name) => `${name}.example.com`);
  const at = (path: string): string => `${service.baseUrl}/api/v1${path}`;

  beforeAll(async () => {
    shop = await startShop();
    service = await startService({
      connectTo: names.map((name) => shop.as(name)),
    });
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  /** Buys a check and returns its result and cost. */
  async function buy<Data>(path: string): Promise<{ body: Envelope<Data>; cost: bigint; headers: Headers }> {
    const payer = await newPayer();
    const response = await payer.fetch(at(path));
    expect(response.status).toBe(200);
    const body = (await response.json()) as Envelope<Data>;
    return { body, cost: 1_000_000n - (await payer.balance()), headers: response.headers };
  }

  it('rejects a parameter that is given twice', async () => {
    const response = await fetch(at('/hosts/shop.example.com/pay-preflight?intent=api&intent=any'));
    expect(response.status).toBe(400);
    expect(response.headers.get('payment-required')).toBeNull();
    expect(await response.json()).toMatchObject({ code: 'invalid_intent' });
  });

  describe('a pay preflight', () => {
    it('probes an unknown host, and reuses that probe while it is fresh', async () => {
      const live = await buy<PayPreflight>('/hosts/shop.example.com/pay-preflight?intent=api');
      expect(live.cost).toBe(1_000n);
      expect(live.body).toMatchObject({
        sku: 'pay_preflight',
        data: {
          domain: 'shop.example.com',
          intent: 'api',
          canPay: 'yes',
          endpoint: ROUTE,
          price: { amount: '20000', network: 'eip155:8453', usd: '0.02' },
          freshness: { source: 'live' },
          blockers: [],
        },
      });
      const asked = shop.requests.length;
      const cached = await buy<PayPreflight>('/hosts/shop.example.com/pay-preflight');
      expect(cached.cost).toBe(1_000n);
      expect(cached.body.data).toMatchObject({ intent: 'any', canPay: 'yes', freshness: { source: 'cache' } });
      expect(cached.body.data.freshness.observedAt).toBe(live.body.data.freshness.observedAt);
      expect(shop.requests).toHaveLength(asked);
      expect(cached.headers.get('payment-response')).not.toBeNull();
    });

    it('is "no" for a host that asks for nothing, but not for one that is down', async () => {
      const quiet = await buy<PayPreflight>('/hosts/quiet.example.com/pay-preflight?intent=checkout');
      expect(quiet.body.data).toMatchObject({ canPay: 'no', blockers: ['no_checkout_published'], price: null });
      const dead = await buy<PayPreflight>('/hosts/dead.example.com/pay-preflight');
      expect(dead.body.data).toMatchObject({ canPay: 'unknown', blockers: ['host_unreachable'] });
      expect(dead.cost).toBe(1_000n);
    });
  });

  describe('endpoint health', () => {
    const health = (path: string, more = '') =>
      buy<EndpointHealth>(`/endpoints/health?url=${encodeURIComponent(`${ORIGIN}${path}`)}${more}`);

    it('measures an endpoint that is up, with its price', async () => {
      const { body, cost } = await health('/api/report');
      expect(cost).toBe(1_000n);
      expect(body).toMatchObject({
        sku: 'endpoint_health',
        data: {
          url: ROUTE,
          method: 'GET',
          up: true,
          statusCode: 402,
          redirectedTo: null,
          charges: [{ protocol: 'x402', payTo: payee.address, amountUsd: '0.02', resource: ROUTE }],
        },
      });
      const { timingsMs, tls } = body.data;
      expect(timingsMs.total).toBeGreaterThan(0);
      expect([timingsMs.connect, timingsMs.tls, timingsMs.firstByte]).toEqual(Array(3).fill(expect.any(Number)));
      expect(tls).toMatchObject({ protocol: 'TLSv1.3', issuer: 'hostprobe test authority' });
    });

    it('posts an empty object, once, without a payment', async () => {
      const before = shop.received.length;
      expect((await health('/fine', '&method=POST')).body.data).toMatchObject({
        method: 'POST',
        up: true,
        charges: null,
      });
      const sent = shop.received.slice(before);
      expect(sent.map(({ method, url }) => [method, url])).toEqual([['POST', '/fine']]);
      expect(sent[0]!.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '2' });
      expect(Object.keys(sent[0]!.headers)).not.toEqual(expect.arrayContaining(['payment-signature']));
    });

    it('reports why an endpoint is down, and is charged', async () => {
      const { body, cost } = await buy<EndpointHealth>('/endpoints/health?url=https://dead.example.com/a');
      expect(body.data).toMatchObject({ up: false, statusCode: null, tls: null, charges: null });
      expect(body.data.reason).toMatch(/^dns_/);
      expect(cost).toBe(1_000n);
    });
  });

  describe('a payTo check', () => {
    const check = (host: string, address: string) =>
      buy<PayToCheck>(`/hosts/${host}.example.com/payto-check?address=${address}`);

    it.each([
      ['shop', payee.address, 'observed_live', 'live_challenge'],
      ['signed', OTHER, 'verified_signature', 'signed_offer'],
      ['wallet', payee.address, 'verified_signature', 'ownership_proof'],
      ['declared', payee.address, 'declared', 'x402_manifest'],
    ])('of %s.example.com and %s finds %s by %s', async (host, address, verdict, kind) => {
      const { body, cost } = await check(host, address);
      expect(body.sku).toBe('payto_check');
      expect(body.data).toMatchObject({ domain: `${host}.example.com`, address, network: 'eip155:8453', verdict });
      expect(body.data.evidence).toContainEqual(expect.objectContaining({ kind }));
      expect(cost).toBe(2_000n);
    });

    it('finds that a domain asks for payments to another address, or to none', async () => {
      expect((await check('shop', OTHER)).body.data).toMatchObject({
        verdict: 'contradicted',
        otherAddresses: [payee.address],
        evidence: [],
      });
      expect((await check('quiet', OTHER)).body.data).toMatchObject({ verdict: 'no_evidence', otherAddresses: [] });
    });
  });
});

describe('the limits of the utility checks', () => {
  const HEALTH = '/api/v1/endpoints/health?url=https://shop.example.com/';
  let service: Service;

  beforeAll(async () => {
    service = await startService({
      env: { RATE_LIMIT_CHECKS_PER_MIN: '3', RATE_LIMIT_REQUESTS_PER_MIN: '8', TRUSTED_PROXIES: '127.0.0.1' },
    });
    await service.admitted();
  });
  afterAll(() => service.stop());

  const ask = (path: string, from: string) =>
    fetch(`${service.baseUrl}${path}`, { headers: { 'x-forwarded-for': from } });

  it('count a caller before payment, report the remaining calls, and do not count bad input', async () => {
    for (let tries = 0; tries < 3; tries += 1) {
      expect((await ask('/api/v1/endpoints/health?url=nonsense', '192.0.2.1')).status).toBe(400);
    }
    const first = await ask(HEALTH, '192.0.2.1');
    expect(first.status).toBe(402);
    expect(first.headers.get('ratelimit-policy')).toBe('"checks";q=3;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"checks";r=2;t=\d+$/);
    await ask(HEALTH, '192.0.2.1');
    await ask(HEALTH, '192.0.2.1');
    const refused = await ask(HEALTH, '192.0.2.1');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('payment-required')).toBeNull();
    expect(refused.headers.get('ratelimit')).toMatch(/^"checks";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', retryAfterSec: expect.any(Number) });
    expect((await ask(HEALTH, '192.0.2.2')).status).toBe(402);
  });

  it('stop a flood on any route, including free ones, and let browsers read the error', async () => {
    const free = '/api/v1/hosts/example.com';
    for (let tries = 0; tries < 8; tries += 1) expect((await ask(free, '192.0.2.9')).status).toBe(200);
    const refused = await ask(free, '192.0.2.9');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit-policy')).toBe('"requests";q=8;w=60');
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  });

  it('ignore X-Forwarded-For from a peer that is not a trusted proxy', async () => {
    const open = await startService({ env: { RATE_LIMIT_CHECKS_PER_MIN: '1' } });
    await open.admitted();
    const spoofed = (from: string) => fetch(`${open.baseUrl}${HEALTH}`, { headers: { 'x-forwarded-for': from } });
    expect((await spoofed('192.0.2.1')).status).toBe(402);
    expect((await spoofed('192.0.2.2')).status).toBe(429);
    await open.stop();
  });
});

describe('the utility checks without a worker', () => {
  it('request no payment, unless the data is fresh or no worker is needed', async () => {
    const shop = await startShop();
    const service = await startService({
      connectTo: [shop.as('shop.example.com')],
      worker: false,
    });
    const preflight = `${service.baseUrl}/api/v1/hosts/shop.example.com/pay-preflight`;
    const statuses = async (paths: readonly string[]) =>
      Promise.all(paths.map(async (path) => (await fetch(`${service.baseUrl}/api/v1${path}`)).status));
    const needy = [
      '/endpoints/health?url=https://shop.example.com/',
      `/hosts/shop.example.com/payto-check?address=${OTHER}`,
    ];
    expect(await statuses(['/hosts/shop.example.com/pay-preflight', ...needy])).toEqual([503, 503, 503]);
    expect(await statuses([`/receipts/0x${'ab'.repeat(32)}/verify?payTo=${OTHER}&amount=1`])).toEqual([402]);

    const worker = await service.startWorker();
    await service.admitted();
    expect((await (await newPayer()).fetch(preflight)).status).toBe(200);
    await worker.close();
    const payer = await newPayer();
    const cached = await payer.fetch(preflight);
    expect(cached.status).toBe(200);
    expect(await cached.json()).toMatchObject({ data: { freshness: { source: 'cache' } } });
    expect(await payer.balance()).toBe(999_000n);
    expect(await balanceOf(service.payTo)).toBe(2_000n);
    await service.stop();
    await shop.close();
  });
});
