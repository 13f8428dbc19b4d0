import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { acceptV2, base64, challengeV2 } from '../../../test/support/challenges';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type Route, type TestHost } from '../../../test/support/test-host';
import { PRODUCTS } from '../src/products/registry';
import { MCP_EXAMPLE } from '../src/mcp/mcp-route';
import { RECORDED_AT } from '../src/routes/recorded-answers';

const productOf = (sku: string) => PRODUCTS.find((product) => product.sku === sku)!;
const FILE = join(__dirname, '../src/routes/recorded-answers.json');
const HOST = '/api/v1/hosts/example.com';
const [, TX = '', PAYEE = ''] =
  /receipts\/(0x\w+)\/verify\?payTo=(0x\w+)/.exec(productOf('receipt_verify').example.call) ?? [];

const PRICED = {
  'x-payment-info': { price: { mode: 'fixed', currency: 'USD', amount: '0.02' }, protocols: [{ x402: {} }] },
};
const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Example API', version: '1.0.0' },
  paths: { '/quote': { get: { ...PRICED, responses: { 402: { description: 'Payment required' } } } } },
};
const CHALLENGE = challengeV2([acceptV2({ payTo: PAYEE })], { resource: { url: 'https://example.com/quote' } });

/** Replaces members that differ between runs, so that two runs can be compared. */
function steady(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => steady(item));
  if (typeof value === 'object' && value !== null) {
    if (name === 'report') return 'a report'; // The text contains times, so its hash differs.
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, steady(member, key)]));
  }
  if (typeof value === 'number') {
    return /^(?:dns|connect|tls|firstByte|total|ageSec|blockNumber)$/.test(name) ? 0 : value;
  }
  if (typeof value !== 'string') return value;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'a time';
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return 'a day';
  if (/^(?:from|subscriber|key)$/.test(name)) return `a ${name}`;
  return value.replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, 'an id');
}

describe('the examples of the OpenAPI document', () => {
  let service: Service;
  let example: TestHost;
  let local: string;
  let payer: Payer;
  let map: Route = (_, response) => response.writeHead(404).end();

  beforeAll(async () => {
    example = await startTestHost({
      '/': says('<!doctype html><title>Example</title>', { 'content-type': 'text/html' }),
      '/openapi.json': says(JSON.stringify(OPENAPI)),
      '/llms.txt': (request, response) => {
        map(request, response);
      },
      '/quote': says('{}', { 'payment-required': base64(CHALLENGE) }, 402),
    });
    service = await startService({
      connectTo: ['example.com', 'shop.example.com', 'api.example.com'].map((name) => example.as(name)),
      env: { PUBLIC_BASE_URL: RECORDED_AT, X402_PAY_TO: PAYEE },
    });
    local = `http://127.0.0.1:${service.config.http.port}`;
    payer = await newPayer(10_000_000n);
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await example.close();
  });

  async function free(path: string, init: RequestInit = {}): Promise<unknown> {
    const response = await fetch(`${local}${path}`, init);
    expect(response.status).toBe(200);
    return response.json();
  }

  const json = (body: unknown) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  async function buy(sku: string, call?: string): Promise<{ answer: unknown; transaction: string }> {
    const { method, example } = productOf(sku);
    const init = method === 'POST' ? json(example.body ?? {}) : { headers: {} };
    const url = `${local}${call ?? example.call}`;
    const payment = await signPayment(payer, await fetch(url, init));
    const response = await fetch(url, { ...init, headers: { ...init.headers, 'payment-signature': payment } });
    expect([sku, response.status]).toEqual([sku, 200]);
    const { transaction } = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');
    return { answer: await response.json(), transaction };
  }

  async function record(): Promise<Readonly<Record<string, unknown>>> {
    await buy('host_refresh');
    map = says('# Example\n\n> Sells quotes.\n', { 'content-type': 'text/plain' });
    const refreshed = await buy('host_refresh');
    const stored = {
      HostReport: await free(HOST),
      Changes: await free(`${HOST}/changes`),
      PayableHosts: await free('/api/v1/hosts?payable=true&protocol=x402&network=base&maxPriceUsd=0.05'),
    };
    const calls = { receipt_verify: productOf('receipt_verify').example.call.replace(TX, refreshed.transaction) };
    const sold: Record<string, unknown> = {};
    for (const { sku, component } of PRODUCTS.filter((product) => product.component !== 'HostReport')) {
      sold[component] = (await buy(sku, (calls as Readonly<Record<string, string>>)[sku])).answer;
    }
    const { ReceiptCheck, NewSubscription, NewWatch } = sold as Readonly<Record<string, { readonly key?: string }>>;
    const subscriber = { headers: { authorization: `Bearer ${NewSubscription?.key}` } };
    return {
      ...stored,
      ...sold,
      ReceiptCheck: JSON.parse(JSON.stringify(ReceiptCheck).replaceAll(refreshed.transaction, TX)),
      NewSubscription: { ...NewSubscription, key: 'hps_...' },
      Subscription: await free(`${HOST}/subscription`, subscriber),
      NewWatch: { ...NewWatch, deliveries: [], key: 'hpw_...', secret: 'whsec_...' },
      McpAnswer: await free('/api/v1/mcp', json(MCP_EXAMPLE)),
    };
  }

  it("match the service's answers", async () => {
    const answers = await record();
    if (process.env['RECORD_EXAMPLES'] === 'yes') writeFileSync(FILE, `${JSON.stringify(answers, null, 2)}\n`);
    expect(steady(answers)).toEqual(steady(JSON.parse(readFileSync(FILE, 'utf8'))));
  });
});
