import { DETECTOR_IDS, type ProtocolCell } from '@app/detectors';
import { PAY_CLIENTS } from '@app/reports';
import type { OpenApiDocument } from '../src/routes/openapi-document';
import { PAYEE } from '../../../test/support/challenges';
import { callTool, NATIVE } from '../../../test/support/mcp';
import { newPayer, signPayment } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { twinOf, type Arguments } from '../../../test/support/twins';

const DOMAIN = 'shop.example.com';
const TX = `0x${'ab'.repeat(32)}`;
const RECEIPT = { tx: TX, payTo: PAYEE, amount: '1' };

/** Every paid operation of behaviour 7.1 with valid arguments, its price and the rest of its challenge. */
const PAID: readonly (readonly [
  tool: string,
  args: Arguments,
  body: { readonly sku: string; readonly priceUsd: number },
])[] = [
  ['refresh_host', { domain: DOMAIN }, { sku: 'host_refresh', priceUsd: 0.02 }],
  ['refresh_host_protocol', { domain: DOMAIN, protocol: 'llms' }, { sku: 'protocol_refresh', priceUsd: 0.005 }],
  ['refresh_hosts_batch', { domains: [DOMAIN], mode: 'full' }, { sku: 'batch_refresh', priceUsd: 0.012 }],
  ['pay_preflight', { domain: DOMAIN }, { sku: 'pay_preflight', priceUsd: 0.001 }],
  ['endpoint_health', { url: `https://${DOMAIN}/` }, { sku: 'endpoint_health', priceUsd: 0.001 }],
  ['payto_check', { domain: DOMAIN, address: PAYEE }, { sku: 'payto_check', priceUsd: 0.002 }],
  ['verify_receipt', RECEIPT, { sku: 'receipt_verify', priceUsd: 0.001 }],
];
const CHECKS = PAID.slice(3);

const OF_LIMIT = { error: 'limit must be a whole number from 1 to 50' };
const OF_CURSOR = { error: 'cursor must be the nextCursor of the previous page' };

/**
 * Behaviour 1.1, row by row: the input that is rejected, by which operation, with which code and which further members.
 * libs/hosts/src/host-name.spec.ts and probe-url.spec.ts have the rows about names and URLs.
 */
const REFUSED: readonly (readonly [what: string, tool: string, args: Arguments, code: string, more?: object])[] = [
  ...['lookup_host', 'participation_check', 'list_changes', 'refresh_host', 'pay_preflight'].map(
    (tool) => ['a bad domain', tool, { domain: 'localhost' }, 'invalid_domain'] as const,
  ),
  ['a bad domain', 'refresh_host_protocol', { domain: '127.0.0.1', protocol: 'llms' }, 'invalid_domain'],
  ['a bad domain', 'payto_check', { domain: 'co.uk', address: PAYEE }, 'invalid_domain'],
  [
    'an unknown protocol',
    'refresh_host_protocol',
    { domain: DOMAIN, protocol: 'gopher' },
    'unknown_protocol',
    { allowed: DETECTOR_IDS },
  ],
  ...['abc', '-1', '0', '51', '1e3', '1.5', '1'.repeat(400)].map(
    (limit) => [`a limit of ${limit}`, 'list_changes', { domain: DOMAIN, limit }, 'invalid_limit', OF_LIMIT] as const,
  ),
  ...['now', '1'.repeat(19), 'a'.repeat(300)].map(
    (cursor) => ['a strange cursor', 'list_changes', { domain: DOMAIN, cursor }, 'invalid_cursor', OF_CURSOR] as const,
  ),
  ['an invalid `before`', 'list_changes', { domain: DOMAIN, before: 'now' }, 'invalid_cursor', OF_CURSOR],
  [
    'an unknown field',
    'refresh_hosts_batch',
    { domains: [DOMAIN], mode: 'full', hurry: true },
    'unknown_member',
    { error: 'unknown field `hurry`' },
  ],
  ['no domains', 'refresh_hosts_batch', { mode: 'full' }, 'invalid_domains', { error: 'domains is required' }],
  ['an empty batch', 'refresh_hosts_batch', { domains: [], mode: 'full' }, 'invalid_domains'],
  ['a text for a batch', 'refresh_hosts_batch', { domains: DOMAIN, mode: 'full' }, 'invalid_domains'],
  ['numbers in a batch', 'refresh_hosts_batch', { domains: [1], mode: 'full' }, 'invalid_domains'],
  [
    '11 domains, even the same ones',
    'refresh_hosts_batch',
    { domains: Array.from({ length: 11 }, () => DOMAIN), mode: 'full' },
    'invalid_domains',
  ],
  [
    'a bad domain in a batch, by name',
    'refresh_hosts_batch',
    { domains: [DOMAIN, 'localhost'], mode: 'full' },
    'invalid_domain',
    { item: 'localhost', index: 1 },
  ],
  ['another mode', 'refresh_hosts_batch', { domains: [DOMAIN], mode: 'quick' }, 'invalid_mode', { allowed: ['full'] }],
  ['no mode', 'refresh_hosts_batch', { domains: [DOMAIN] }, 'invalid_mode', { error: 'mode is required' }],
  ['no url', 'endpoint_health', {}, 'invalid_url', { error: 'url is required' }],
  ['plain http', 'endpoint_health', { url: `http://${DOMAIN}/` }, 'invalid_url'],
  [
    'another method',
    'endpoint_health',
    { url: `https://${DOMAIN}/`, method: 'DELETE' },
    'invalid_method',
    { allowed: ['GET', 'POST'] },
  ],
  [
    'an unknown intent',
    'pay_preflight',
    { domain: DOMAIN, intent: 'steal' },
    'invalid_intent',
    { allowed: ['checkout', 'api', 'any'] },
  ],
  [
    'an unknown client',
    'pay_preflight',
    { domain: DOMAIN, client: 'curl' },
    'invalid_client',
    { allowed: PAY_CLIENTS },
  ],
  ['no address', 'payto_check', { domain: DOMAIN }, 'invalid_address', { error: 'address is required' }],
  ['a short address', 'payto_check', { domain: DOMAIN, address: '0x12' }, 'invalid_address'],
  [
    'an address with a wrong checksum',
    'payto_check',
    { domain: DOMAIN, address: '0x8ba1f109551bD432803012645Ac136ddd64DBA7a' },
    'invalid_address',
  ],
  [
    'another network',
    'payto_check',
    { domain: DOMAIN, address: PAYEE, network: 'eip155:84532' },
    'invalid_network',
    { allowed: ['eip155:8453'] },
  ],
  ['a short hash', 'verify_receipt', { ...RECEIPT, tx: '0x12' }, 'invalid_tx'],
  ['a hash without 0x', 'verify_receipt', { ...RECEIPT, tx: 'ab'.repeat(33) }, 'invalid_tx'],
  ['no payTo', 'verify_receipt', { tx: TX, amount: '1' }, 'invalid_pay_to'],
  [
    'a payTo with a wrong checksum',
    'verify_receipt',
    { ...RECEIPT, payTo: '0x8ba1f109551bD432803012645Ac136ddd64DBA7a' },
    'invalid_pay_to',
  ],
  ['no amount', 'verify_receipt', { tx: TX, payTo: PAYEE }, 'invalid_amount'],
  ['both amounts', 'verify_receipt', { ...RECEIPT, amountUsd: '1' }, 'invalid_amount'],
  ['an amount of 0', 'verify_receipt', { ...RECEIPT, amount: '0' }, 'invalid_amount'],
  ['a leading zero', 'verify_receipt', { ...RECEIPT, amount: '01' }, 'invalid_amount'],
  ['a fraction of an atomic unit', 'verify_receipt', { ...RECEIPT, amount: '1.5' }, 'invalid_amount'],
  ['31 digits', 'verify_receipt', { ...RECEIPT, amount: '1'.repeat(31) }, 'invalid_amount'],
  ['amountUsd of 0', 'verify_receipt', { tx: TX, payTo: PAYEE, amountUsd: '0.00' }, 'invalid_amount_usd'],
  ['7 decimals', 'verify_receipt', { tx: TX, payTo: PAYEE, amountUsd: '0.0000001' }, 'invalid_amount_usd'],
  ['13 digits', 'verify_receipt', { tx: TX, payTo: PAYEE, amountUsd: '1'.repeat(13) }, 'invalid_amount_usd'],
  ['a third network', 'verify_receipt', { ...RECEIPT, network: 'eip155:1' }, 'invalid_network'],
  [
    'an unsupported kind of network',
    'verify_receipt',
    { ...RECEIPT, tx: 'sig', network: 'aptos:1' },
    'unsupported_network',
  ],
  ['another asset', 'verify_receipt', { ...RECEIPT, asset: 'USDT' }, 'invalid_asset'],
  ['the address of another asset', 'verify_receipt', { ...RECEIPT, asset: PAYEE }, 'invalid_asset'],
];

/** Inputs that behaviour 1.1 treats as equal, shown by the resource in the challenge. */
const TAKEN: readonly (readonly [what: string, tool: string, args: Arguments, same: Arguments])[] = [
  ['a URL', 'refresh_host', { domain: `http://www.${DOMAIN}:8443/a?b=c` }, { domain: DOMAIN }],
  ['Unicode', 'refresh_host', { domain: 'bücher.example.com' }, { domain: 'xn--bcher-kva.example.com' }],
  [
    'a protocol in capitals',
    'refresh_host_protocol',
    { domain: DOMAIN, protocol: ' LLMS ' },
    { domain: DOMAIN, protocol: 'llms' },
  ],
  ['an empty intent', 'pay_preflight', { domain: DOMAIN, intent: '' }, { domain: DOMAIN, intent: 'any' }],
  [
    'an empty method',
    'endpoint_health',
    { url: `https://${DOMAIN}/`, method: '' },
    { url: `https://${DOMAIN}:443/`, method: 'GET' },
  ],
  [
    'an empty network, an address in lower case',
    'payto_check',
    { domain: DOMAIN, address: PAYEE.toLowerCase(), network: '' },
    { domain: DOMAIN, address: PAYEE, network: 'eip155:8453' },
  ],
  [
    'dollars, and USDC in any case',
    'verify_receipt',
    { tx: TX, payTo: PAYEE, amountUsd: '0.02', asset: 'usdc', network: '' },
    { tx: TX.toUpperCase().replace('0X', '0x'), payTo: PAYEE, amount: '20000', amountUsd: '' },
  ],
];

/** A parameter of an operation, reduced to what the loop over all of them needs. */
interface Parameter {
  readonly name: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema: { readonly minimum?: number; readonly maximum?: number; readonly enum?: readonly unknown[] };
}

const NAMED = { 'request-id': 'order-2026_11' };

const rest = (service: Service, tool: string, args: Arguments, headers: Record<string, string> = {}) => {
  const { path, post } = twinOf(tool, args);
  const json = post === undefined ? {} : { method: 'POST', body: JSON.stringify(post) };
  const type = post === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${service.baseUrl}/api/v1${path}`, { ...json, headers: { ...type, ...headers } });
};

/**
 * Sends one request with the same id through each entry: the route, the tool for a plain client, and the tool for an
 * MCP client.
 */
async function throughAllDoors(service: Service, tool: string, args: Arguments) {
  const routed = await rest(service, tool, args, NAMED);
  return {
    routed: { status: routed.status, headers: routed.headers, body: (await routed.json()) as Record<string, unknown> },
    plain: await callTool(service, tool, args, { headers: NAMED }),
    native: await callTool(service, tool, args, { headers: { ...NATIVE, ...NAMED } }),
  };
}

function expectNoChallenge(answers: readonly { readonly headers: Headers; readonly body: unknown }[]): void {
  for (const { headers, body } of answers) {
    expect(headers.get('payment-required')).toBeNull();
    expect(JSON.stringify(body)).not.toMatch(/x402Version|accepts/);
  }
}

describe('an error', () => {
  let service: Service;
  let shop: TestHost;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('slow down', { 'retry-after': '1' }, 429) });
    service = await startService({
      connectTo: [shop.as(DOMAIN)],
      env: { OPT_OUT: 'opted-out.example.com', RATE_LIMIT_CHECKS_PER_MIN: '1000' },
    });
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  it.each(REFUSED.map(([what, tool, args, code, more = {}]) => [what, tool, args, code, more] as const))(
    '400 for %s to %s, the same over REST and MCP',
    async (_, tool, args, code, more) => {
      const { routed, plain, native } = await throughAllDoors(service, tool, args);
      expect([routed.status, plain.status, native.status]).toEqual([400, 200, 200]);
      expect(routed.body).toMatchObject({ error: expect.stringMatching(/^\S.{10,}$/), code, ...more });
      for (const { body } of [plain, native]) {
        const text = [{ type: 'text', text: JSON.stringify(routed.body) }];
        expect(body.result).toEqual({ content: text, structuredContent: routed.body, isError: true });
      }
      expectNoChallenge([routed, plain, native]);
    },
  );

  it.each(TAKEN)('is not returned for %s to %s, which means %j', async (_, tool, args, same) => {
    const [one, other] = [await throughAllDoors(service, tool, args), await throughAllDoors(service, tool, same)];
    expect(one.routed.status).toBe(402);
    for (const { body } of [one.plain, other.routed, other.plain]) {
      expect(body['resource']).toEqual(one.routed.body['resource']);
    }
    expect(one.native.body.result?.structuredContent['resource']).toEqual(one.routed.body['resource']);
  });

  it('is not returned for an empty limit or one within the range', async () => {
    for (const limit of ['', '1', '50']) {
      const { routed, plain } = await throughAllDoors(service, 'list_changes', { domain: DOMAIN, limit });
      expect(routed).toMatchObject({ status: 200, body: { full: false, changes: [] } });
      expect(plain.body.result?.structuredContent).toEqual(routed.body);
    }
  });

  it.each([
    ['find_payable', { hurry: true }, 'unknown_member', 'unknown field `hurry`'],
    ['verify_receipt', { ...RECEIPT, txhash: TX }, 'unknown_member', 'unknown field `txhash`'],
    ['lookup_host', {}, 'invalid_domain', 'domain is required'],
    ['lookup_host', { domain: 7 }, 'invalid_domain', 'domain must be a string'],
    ['find_payable', { limit: [1] }, 'invalid_limit', OF_LIMIT.error],
    ['find_payable', { query: {} }, 'invalid_query', 'query must be a string'],
  ])('is a result for %s of %j', async (tool, args, code, error) => {
    const { body } = await callTool(service, tool, args);
    expect(body.result).toMatchObject({ isError: true, structuredContent: { code, error } });
  });

  it('is returned for every whole number in a query that is out of range, with the range, or given twice', async () => {
    const { paths } = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
    const bounded = Object.entries(paths).flatMap(([path, { get }]) =>
      ((get?.parameters ?? []) as unknown as readonly Parameter[])
        .filter((one) => one.in === 'query' && one.schema.maximum !== undefined)
        .map((one) => ({ path, one, others: get!.parameters as unknown as readonly Parameter[] })),
    );
    expect(bounded.map(({ path, one }) => `${path} ${one.name}`)).toEqual(
      expect.arrayContaining(['/api/v1/hosts limit', '/api/v1/hosts/{domain}/changes limit']),
    );
    for (const { path, one, others } of bounded) {
      const { minimum = NaN, maximum = NaN } = one.schema;
      const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
        String(others.find((other) => other.name === name)?.example),
      );
      const needed = others.filter(({ in: place, required }) => place === 'query' && required === true);
      const query = needed.map(({ name, schema }) => `${name}=${String(schema.enum?.[0])}&`).join('');
      const refusal = async (value: string): Promise<string> => {
        const response = await fetch(`${service.baseUrl}${filled}?${query}${one.name}=${value}`);
        expect([filled, value, response.status]).toEqual([filled, value, 400]);
        return response.text();
      };
      for (const value of [minimum - 1, maximum + 1, 'x', '1.5', '1e1']) {
        const about = new RegExp(`${one.name} must be a whole number from ${minimum} to ${maximum}`, 'i');
        expect(await refusal(String(value))).toMatch(about);
      }
      expect(await refusal(`1&${one.name}=1`)).toMatch(new RegExp(`${one.name} must be given once`, 'i'));
    }
  });

  it('ignores unknown parameters in a query, and refuses them in a body', async () => {
    const status = async (path: string): Promise<number> => (await fetch(`${service.baseUrl}/api/v1/${path}`)).status;
    for (const path of ['?', '/changes?', '/statement?', '/refresh?'].map(
      (end) => `hosts/opted-out.example.com${end}`,
    )) {
      expect([path, await status(`${path}utm=1&utm=2`)]).toEqual([path, await status(path)]);
    }
    const sent = await fetch(`${service.baseUrl}/api/v1/hosts/${DOMAIN}/claims`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"utm":1}',
    });
    expect([sent.status, await sent.json()]).toMatchObject([
      400,
      { error: 'unknown field `utm`', code: 'unknown_member' },
    ]);
  });

  it.each([
    ['hosts?payable=true&network=moon', 'network must be a known network, for example eip155:8453 or base'],
    ['hosts/shop.example.com?refresh=1&refresh=1', 'refresh must be given once'],
    ['hosts/shop.example.com?refresh=2', 'refresh must be 1'],
    ['hosts/shop.example.com/refresh?x402Version=3', 'x402Version must be 1 or 2'],
    ['hosts/shop.example.com/pay-preflight?intent=api&intent=any', 'intent must be given once'],
    ['hosts/shop.example.com/statement?form=whole', 'form must be listing'],
    ['endpoints/health?url=https://shop.example.com&url=https://shop.example.com', 'url must be given once'],
  ])('is returned for GET %s', async (path, error) => {
    const response = await fetch(`${service.baseUrl}/api/v1/${path}`);
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ error })]);
  });

  it.each([
    ['payable?limit=51', 'Limit must be a whole number from 1 to 50.'],
    ['payable?cursor=x', 'Cursor must be the nextCursor of the previous page.'],
    ['hosts?domain=a.example.com&domain=b.example.com', 'Domain must be given once.'],
  ])('is shown as a sentence on the page /%s', async (path, sentence) => {
    const page = await fetch(`${service.baseUrl}/${path}`);
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining(`<h1>${sentence}</h1>`)]);
  });

  it.each(PAID)(
    '402 for an unpaid %s, with the terms in header and body, over REST and MCP',
    async (tool, args, body) => {
      const { routed, plain, native } = await throughAllDoors(service, tool, args);
      expect([routed.status, plain.status, native.status]).toEqual([402, 402, 200]);
      const accepts = [
        { amount: String(Math.round(body.priceUsd * 1e6)), network: 'eip155:8453', payTo: service.payTo },
      ];
      const terms = { ...body, error: expect.any(String), x402Version: 2, accepts, payTo: service.payTo };
      expect(routed.body).toMatchObject(terms);
      expect(plain.body).toMatchObject({ jsonrpc: '2.0', id: 1, ...terms });
      expect(native.body.result).toMatchObject({ isError: true, structuredContent: terms });
      for (const { headers } of [routed, plain, native]) {
        expect(headers.get('payment-required')).not.toBeNull();
        expect(headers.get('cache-control')).toContain('no-store');
      }
    },
  );

  it('403 for a host that opted out, before any payment', async () => {
    const { routed, plain, native } = await throughAllDoors(service, 'refresh_host', {
      domain: 'opted-out.example.com',
    });
    expect([routed.status, routed.body['code']]).toEqual([403, 'opted_out']);
    expect([plain.status, plain.body.error?.data?.['code']]).toEqual([403, 'opted_out']);
    expect(native.body.result).toMatchObject({ isError: true, structuredContent: routed.body });
    expectNoChallenge([routed, plain, native]);
  });

  it('of a probed host is a finding: its 429 becomes the status of the cell', async () => {
    const payer = await newPayer();
    const args = { domain: DOMAIN, protocol: 'llms' };
    const bought = await payer.fetch(`${service.baseUrl}/api/v1${twinOf('refresh_host_protocol', args).path}`);
    expect(bought.status).toBe(200);
    const { cell } = (await bought.json()) as { cell: ProtocolCell };
    expect(cell).toMatchObject({ id: 'llms', status: 'error', details: { statusCode: 429 } });
    const stored = await callTool(service, 'lookup_host', { domain: DOMAIN });
    expect(stored.body.result?.structuredContent['protocols']).toMatchObject([{ id: 'llms', status: 'error' }]);
  });
});

describe('an error, in the order of behaviour 1.8', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ worker: false, env: { RATE_LIMIT_CHECKS_PER_MIN: '2' } });
    for (let tries = 0; tries < 2; tries += 1) await rest(service, 'verify_receipt', RECEIPT);
  });
  afterAll(() => service.stop());

  it.each(CHECKS)('is 400 before 429 for %s, and 429 before 503 and 402', async (tool, args) => {
    const bad = await throughAllDoors(service, tool, {});
    expect([bad.routed.status, bad.plain.body.result?.isError, bad.native.body.result?.isError]).toEqual([
      400,
      true,
      true,
    ]);
    const { routed, plain, native } = await throughAllDoors(service, tool, args);
    expect([routed.status, plain.status, native.status]).toEqual([429, 429, 200]);
    expect(routed.body).toEqual({
      error: expect.any(String),
      code: 'rate_limited',
      retryAfterSec: expect.any(Number),
      requestId: NAMED['request-id'],
    });
    expect(plain.body.error?.data).toMatchObject({ code: 'rate_limited' });
    expect(native.body.result).toMatchObject({ isError: true, structuredContent: { code: 'rate_limited' } });
    for (const { headers } of [routed, plain, native]) {
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(headers.get('ratelimit')).toMatch(/^"checks";r=0;t=\d+$/);
      expect(headers.get('ratelimit-policy')).toBe('"checks";q=2;w=60');
    }
    expectNoChallenge([bad.routed, bad.plain, bad.native, routed, plain, native]);
  });

  it.each(PAID.slice(0, 3))(
    'is 400 before 503 for %s, and 503 before 402 while there is no worker',
    async (tool, args) => {
      expect((await rest(service, tool, { domain: 'localhost', protocol: 'llms' })).status).toBe(400);
      const { routed, plain, native } = await throughAllDoors(service, tool, args);
      expect([routed.status, routed.body['code']]).toEqual([503, 'no_worker']);
      expect([plain.status, plain.body.error?.data?.['code']]).toEqual([503, 'no_worker']);
      expect(native.body.result).toMatchObject({ isError: true, structuredContent: routed.body });
      for (const { headers } of [routed, plain, native]) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expectNoChallenge([routed, plain, native]);
    },
  );

  it('does not charge a payment sent with a request that gets 400 or 429', async () => {
    const other = await startService({ worker: false, env: { RATE_LIMIT_CHECKS_PER_MIN: '1' } });
    const payer = await newPayer();
    const payment = await signPayment(payer, await rest(other, 'verify_receipt', RECEIPT));
    const headers = { 'payment-signature': payment };
    expect((await rest(other, 'verify_receipt', { ...RECEIPT, amount: '0' }, headers)).status).toBe(400);
    expect((await rest(other, 'verify_receipt', RECEIPT, headers)).status).toBe(429);
    expect((await callTool(other, 'verify_receipt', RECEIPT, { headers })).status).toBe(429);
    expect(await payer.balance()).toBe(1_000_000n);
    await other.stop();
  });
});
