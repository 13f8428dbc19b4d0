import fc from 'fast-check';
import { DETECTORS, findDetector, HostEvidence, runDetector, type ProbePhase } from '@app/detectors';
import { paymentRails } from '@app/reports';
import { acceptV2, challengeV2, paywalled } from './support/challenges';
import { description, type Order, type Writing } from './support/descriptions';
import { html, json, status, type Reply } from './support/evidence';
import { probeInMemory, type MemoryProbeOptions, type MemoryReply } from './support/memory-host';

const ORIGIN = 'https://shop.example.com';
/** The places where a host may link to the document with its prices. */
const ANNOUNCEMENTS = [
  'path',
  'well_known',
  'link_header',
  'link_element',
  'catalogue',
  'plugin',
  'x402_manifest',
] as const;
const TERMS = [
  { 'x-payment-info': { price: { mode: 'fixed', currency: 'USD', amount: '0.01' }, protocols: ['x402'] } },
  { 'x-payment-info': { pricingMode: 'fixed', price: '0.01', protocols: [{ x402: {} }] } },
  { responses: { 402: { description: 'Payment required' } } },
] as const;

const FREE = { responses: { 200: { description: 'OK' } } };

interface Shop {
  readonly announcement: (typeof ANNOUNCEMENTS)[number];
  readonly writing: Writing;
  readonly terms: (typeof TERMS)[number];
  readonly method: 'get' | 'post';
  readonly priced: number;
  readonly free: number;
  /** Whether the priced paths have a parameter, for which the document gives an example. */
  readonly path: 'plain' | 'example';
}

const shop: fc.Arbitrary<Shop> = fc.record({
  announcement: fc.constantFrom(...ANNOUNCEMENTS),
  writing: fc.record({
    format: fc.constantFrom('json' as const, 'yaml' as const),
    order: fc.constantFrom<Order>('written', 'sorted', 'reversed'),
    schemas: fc.oneof({ weight: 24, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.constant(3_000) }),
  }),
  terms: fc.constantFrom(...TERMS),
  method: fc.constantFrom('get' as const, 'post' as const),
  priced: fc.oneof(
    { weight: 24, arbitrary: fc.integer({ min: 1, max: 30 }) },
    { weight: 1, arbitrary: fc.constant(1_200) },
  ),
  free: fc.nat(20),
  path: fc.constantFrom('plain' as const, 'example' as const),
});

function documentOf({ writing, terms, method, priced, free, path }: Shop): Reply {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string', example: 'lamp 1' } }];
  const pathOf = (i: number) => (path === 'plain' ? `/paid/${i}` : `/paid/${i}/{id}`);
  const operation = { ...(path === 'plain' ? {} : { parameters }), ...terms };
  return description(
    {
      ...Object.fromEntries(Array.from({ length: free }, (_, i) => [`/free/${i}`, { get: FREE }])),
      ...Object.fromEntries(Array.from({ length: priced }, (_, i) => [pathOf(i), { [method]: operation }])),
    },
    writing,
  );
}

/** The host's response at each announced path, with the document at its own path. */
function documents({ announcement }: Shop, document: Reply): Readonly<Record<string, Reply>> {
  const at = '/docs/api';
  switch (announcement) {
    case 'path':
      return { '/openapi.json': document };
    case 'well_known':
      return { '/.well-known/openapi.json': document };
    case 'link_header':
      return { [at]: document, '/': html(undefined, { headers: { link: `<${at}>; rel="service-desc"` } }) };
    case 'link_element':
      return { [at]: document, '/': html(`<!doctype html><link rel=service-desc href="${at}"><h1>Shop</h1>`) };
    case 'catalogue':
      return {
        [at]: document,
        '/.well-known/api-catalog': json({ linkset: [{ anchor: '/', 'service-desc': [{ href: at }] }] }),
      };
    case 'plugin':
      return {
        [at]: document,
        '/.well-known/ai-plugin.json': json({ api: { type: 'openapi', url: `${ORIGIN}${at}` } }),
      };
    case 'x402_manifest':
      return { [at]: document, '/.well-known/x402': json({ openapi: [`${ORIGIN}${at}`] }) };
  }
}

async function probed(
  one: Shop,
  options: MemoryProbeOptions & { readonly challenge?: Reply; readonly latencyMs?: number } = {},
) {
  const replies = documents(one, documentOf(one));
  const { challenge = paywalled(challengeV2([acceptV2()])), latencyMs, ...rest } = options;
  const collected = await probeInMemory(({ method, url }): MemoryReply => {
    const right = method.toLowerCase() === one.method && /^\/v1\/paid\/\d+(\/lamp%201)?$/.test(url.pathname);
    const reply = right ? challenge : (replies[url.pathname] ?? (url.pathname === '/' ? html() : status(404)));
    return latencyMs === undefined ? reply : { ...reply, latencyMs };
  }, rest);
  const seen = new HostEvidence(collected);
  const [x402, mpp] = ['x402', 'mpp'].map((id) => runDetector(findDetector(id)!, seen).cell);
  const paid = new Set(
    collected.log.filter((line) => line.includes('/paid/')).map((line) => line.replace(/^\w+ /, '')),
  );
  return { x402: x402!, mpp: mpp!, rails: paymentRails(seen), paid, requests: collected.log.length };
}

const PRESENCE: readonly ProbePhase[] = ['presence'];

describe('an advertised price', () => {
  it('is requested from any location and notation, for at most five routes', async () => {
    await fc.assert(
      fc.asyncProperty(shop, async (one) => {
        const { x402, rails, paid, requests } = await probed(one);
        expect(x402).toMatchObject({ status: 'present', version: '2' });
        expect(rails.payable).toBe(true);
        expect(paid.size).toBe(Math.min(5, one.priced));
        expect(requests).toBeLessThanOrEqual(40);
      }),
      {
        numRuns: 15,
        examples: [
          [
            {
              announcement: 'path',
              writing: { format: 'json', order: 'sorted', schemas: 9_500 },
              terms: TERMS[0],
              method: 'post',
              priced: 1_200,
              free: 0,
              path: 'plain',
            },
          ],
        ],
      },
    );
  });

  it('is also requested in a probe of x402 only', async () => {
    const detectors = DETECTORS.filter(({ id }) => id === 'x402');
    await fc.assert(
      fc.asyncProperty(shop, async (one) => {
        expect((await probed(one, { detectors })).x402).toMatchObject({ status: 'present' });
      }),
      { numRuns: 10 },
    );
  });

  it('keeps x402 from being absent if it was not requested', async () => {
    await fc.assert(
      // The presence phase of a host that publishes little else ends before the route in the YAML is known.
      fc.asyncProperty(shop, async (one) => {
        const { x402, rails } = await probed(one, { phases: PRESENCE });
        expect(x402).toMatchObject({ status: 'partial', details: { reason: 'not_exercised' } });
        expect(rails).toEqual({ payable: false, checkedAt: null, rails: [] });
      }),
      { numRuns: 10 },
    );
  });

  it('keeps x402 from being absent if the probe runs out of time', async () => {
    const slow = fc.integer({ min: 1_000, max: 4_500 });
    await fc.assert(
      fc.asyncProperty(
        shop.filter(({ announcement }) => announcement === 'path'),
        slow,
        async (one, latencyMs) => {
          const { x402, paid } = await probed(one, { latencyMs });
          if (paid.size === 0) expect(x402.status).not.toBe('absent');
        },
      ),
      { numRuns: 10 },
    );
  });

  it('leaves x402 absent if it was requested and there was no challenge', async () => {
    await fc.assert(
      fc.asyncProperty(shop, async (one) => {
        const { x402 } = await probed(one, { challenge: json({ ok: true }) });
        expect(x402.status).toBe(one.announcement === 'x402_manifest' ? 'partial' : 'absent');
        expect(x402.details['reason']).toBeUndefined();
      }),
      { numRuns: 10 },
    );
  });
});
