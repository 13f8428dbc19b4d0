import { participation, type HostReport, type PayableHosts } from '@app/reports';
import { decodePaymentResponseHeader } from '@x402/core/http';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import { PAYEE, acceptV2, base64, challengeV2 } from '../../../test/support/challenges';
import { asMeta, callTool, NATIVE, type RpcReply } from '../../../test/support/mcp';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

const DOMAIN = 'shop.example.com';
const HASH = `0x${'ab'.repeat(32)}`;

/** A paid tool, its route, and what it costs in atomic units. */
interface Door {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly post?: Readonly<Record<string, unknown>>;
  readonly price: bigint;
}

const DOORS: readonly Door[] = [
  { tool: 'refresh_host', args: { domain: DOMAIN }, path: `/hosts/${DOMAIN}/refresh`, price: 20_000n },
  {
    tool: 'refresh_host_protocol',
    args: { domain: `https://www.${DOMAIN}/`, protocol: ' LLMS ' },
    path: `/hosts/${DOMAIN}/protocols/llms/refresh`,
    price: 5_000n,
  },
  {
    tool: 'refresh_hosts_batch',
    args: { domains: [DOMAIN, `https://${DOMAIN}`, 'nothing.example.com'], mode: 'full' },
    path: '/hosts/refresh',
    post: { mode: 'full', domains: [DOMAIN, 'nothing.example.com'] },
    price: 14_000n,
  },
  {
    tool: 'pay_preflight',
    args: { domain: DOMAIN, intent: 'api' },
    path: `/hosts/${DOMAIN}/pay-preflight?intent=api`,
    price: 1_000n,
  },
  {
    tool: 'endpoint_health',
    args: { url: `https://${DOMAIN}/api/report` },
    path: `/endpoints/health?url=https://${DOMAIN}/api/report`,
    price: 1_000n,
  },
  {
    tool: 'payto_check',
    args: { domain: DOMAIN, address: PAYEE, network: 'eip155:8453' },
    path: `/hosts/${DOMAIN}/payto-check?address=${PAYEE}`,
    price: 2_000n,
  },
  {
    tool: 'verify_receipt',
    args: { tx: HASH, payTo: PAYEE, amountUsd: '0.02' },
    path: `/receipts/${HASH}/verify?payTo=${PAYEE}&amount=20000`,
    price: 1_000n,
  },
];

describe('the tools of the MCP endpoint', () => {
  let service: Service;
  let shop: TestHost;
  let payer: Payer;
  const schemas = new Map<string, ValidateFunction>();

  beforeAll(async () => {
    const challenge = challengeV2([acceptV2()], { resource: { url: `https://${DOMAIN}/api/report` } });
    const paywall = says('{}', { 'payment-required': base64(challenge) }, 402);
    const manifest = { x402Version: 2, resources: [`https://${DOMAIN}/api/report`] };
    shop = await startTestHost({
      '/llms.txt': says('# Shop\n', { 'content-type': 'text/plain' }),
      '/api/report': paywall,
      '/.well-known/x402': says(JSON.stringify(manifest)),
    });
    service = await startService({
      connectTo: [shop.as(DOMAIN), shop.as('fresh.example.com')],
    });
    await service.admitted();
    for (const { name, outputSchema } of await fetchTools()) {
      schemas.set(name, new Ajv({ strict: false, formats: { 'date-time': true, uri: true } }).compile(outputSchema));
    }
  });
  beforeEach(async () => {
    payer = await newPayer();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  async function fetchTools(): Promise<readonly { name: string; outputSchema: object }[]> {
    const response = await fetch(`${service.baseUrl}/api/v1/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const { result } = (await response.json()) as { result: { tools: { name: string; outputSchema: object }[] } };
    return result.tools;
  }

  const rest = (path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1${path}`, {
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });

  const expectSchema = (tool: string, { body }: RpcReply): void => {
    const holds = schemas.get(tool)!;
    holds(body.result!.structuredContent);
    expect(holds.errors ?? []).toEqual([]);
  };

  describe.each(DOORS)('$tool and its route', ({ tool, args, path, post, price }) => {
    it('accept a payment for the route in the tool, once', async () => {
      const header = await signPayment(payer, await rest(path, post));
      const bought = await callTool(service, tool, args, { meta: asMeta(header), headers: NATIVE });
      expect(bought.headers.get('idempotent-replayed')).toBeNull();
      expectSchema(tool, bought);
      const receipt = decodePaymentResponseHeader(bought.headers.get('payment-response')!);
      expect(bought.body.result?._meta).toMatchObject({ 'x402/payment-response': receipt });
      expect(receipt).toMatchObject({ success: true, payer: payer.account.address.toLowerCase() });
      const again = await rest(path, post, { 'payment-signature': header });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await again.json()).toEqual(bought.body.result?.structuredContent);
      expect(await payer.balance()).toBe(1_000_000n - price);
    });

    it('accept a payment for the tool in the route, once', async () => {
      const unpaid = await callTool(service, tool, args, { headers: NATIVE });
      expectSchema(tool, unpaid);
      const header = await signPayment(payer, unpaid);
      const bought = await rest(path, post, { 'payment-signature': header });
      expect([bought.status, bought.headers.get('idempotent-replayed')]).toEqual([200, null]);
      const answer: unknown = await bought.json();
      const again = await callTool(service, tool, args, { headers: { 'payment-signature': header } });
      expect(again.body.result?.structuredContent).toEqual(answer);
      expect(JSON.parse(again.body.result!.content[0]!.text)).toEqual(answer);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expectSchema(tool, again);
      expect(await payer.balance()).toBe(1_000_000n - price);
    });
  });

  describe('free ones', () => {
    it('read a report like the route', async () => {
      const called = await callTool(service, 'lookup_host', { domain: `https://www.${DOMAIN}/shop` });
      expect(called.body.result?.structuredContent).toEqual(await (await rest(`/hosts/${DOMAIN}`)).json());
      expectSchema('lookup_host', called);
      const unknown = await callTool(service, 'lookup_host', { domain: 'never-seen.example.com' });
      expect(unknown.body.result?.structuredContent).toMatchObject({ protocols: [] });
      expectSchema('lookup_host', unknown);
    });

    it('start a free probe of an unknown host, and wait for it on request', async () => {
      const headers = { prefer: 'wait=10' };
      const probed = await callTool(service, 'participation_check', { domain: 'fresh.example.com' }, { headers });
      expect(probed.body.result?.structuredContent).toMatchObject({ participates: true, presenceStale: false });
    });

    it('list changes like the route', async () => {
      const called = await callTool(service, 'list_changes', { domain: DOMAIN, limit: 50 });
      expect(called.body.result?.structuredContent).toEqual(await (await rest(`/hosts/${DOMAIN}/changes`)).json());
      expectSchema('list_changes', called);
    });

    it('summarize a report in a kilobyte', async () => {
      const called = await callTool(service, 'participation_check', { domain: DOMAIN });
      const report = (await (await rest(`/hosts/${DOMAIN}`)).json()) as HostReport;
      expect(called.body.result?.structuredContent).toEqual(participation(report));
      expect(called.body.result?.structuredContent).toMatchObject({ participates: true, payable: true });
      expect(called.body.result?.content[0]?.text.length).toBeLessThanOrEqual(1_024);
      expectSchema('participation_check', called);
    });

    it('find a payable host', async () => {
      const { rails } = ((await (await rest(`/hosts/${DOMAIN}`)).json()) as HostReport).paymentRails;
      const called = await callTool(service, 'find_payable', { protocol: 'x402', network: 'base', maxPriceUsd: 0.02 });
      expect(called.body.result?.structuredContent).toEqual({
        hosts: [{ domain: DOMAIN, rails, observedAt: rails[0]!.observedAt }],
      });
      expectSchema('find_payable', called);
      const dear = await callTool(service, 'find_payable', { maxPriceUsd: '0.019999' });
      expect(dear.body.result?.structuredContent as unknown as PayableHosts).toEqual({ hosts: [] });

      const routed = await rest('/hosts?payable=true&protocol=x402&network=base&maxPriceUsd=0.02&limit=1');
      expect(await routed.json()).toEqual(called.body.result?.structuredContent);
      expect(routed.headers.get('cache-control')).toBe('public, max-age=30');
      expect(routed.headers.get('ratelimit-policy')).toMatch(/^"\w+";q=\d+;w=60$/);
      const page = async (query: string) => (await fetch(`${service.baseUrl}/payable?${query}`)).text();
      expect(await page('network=base&maxPriceUsd=')).toContain(`<a href="/hosts/${DOMAIN}">`);
      expect(await page('maxPriceUsd=0.019999')).toContain('No probed host matches.');
    });

    it.each([
      ['', 'invalid_payable'],
      ['payable=false', 'invalid_payable'],
      ['payable=true&payable=true', 'invalid_payable'],
      ['payable=true&limit=51', 'invalid_limit'],
      ['payable=true&limit=1e1', 'invalid_limit'],
      ['payable=true&cursor=%00', 'invalid_cursor'],
      ['payable=true&network=moon', 'invalid_network'],
    ])('are not listed by the query %j', async (query, code) => {
      const refused = await rest(`/hosts?${query}`);
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, code]);
    });
  });

  it.each([
    [{ protocol: 'acp' }, 'invalid_protocol'],
    [{ network: 'the moon' }, 'invalid_network'],
    [{ maxPriceUsd: -1 }, 'invalid_max_price_usd'],
    [{ maxPriceUsd: 'free' }, 'invalid_max_price_usd'],
    [{ limit: 0 }, 'invalid_limit'],
    [{ limit: 51 }, 'invalid_limit'],
    [{ cursor: 'not a host' }, 'invalid_cursor'],
    [{ query: 7 }, 'invalid_query'],
  ])('find_payable names the field when it refuses %j', async (args, code) => {
    const { status, body } = await callTool(service, 'find_payable', args);
    expect([status, body.result?.isError, body.result?.structuredContent['code']]).toEqual([200, true, code]);
  });

  it('refuse arguments that are not an object, and unknown tools', async () => {
    const listed = await callTool(service, 'lookup_host', [DOMAIN] as unknown as Record<string, unknown>);
    expect([listed.status, listed.body.error?.code]).toEqual([400, -32602]);
    const unknown = await callTool(service, 'delete_host', { domain: DOMAIN });
    expect([unknown.status, unknown.body.error?.code]).toEqual([400, -32602]);
    expect(unknown.body.error).toMatchObject({ message: 'Tool delete_host not found', data: { code: 'unknown_tool' } });
  });

  describe('with a payment', () => {
    const [door] = DOORS;
    const { tool, args } = door!;

    it('accept the same payment in header and _meta, and refuse two different ones', async () => {
      const first = await signPayment(payer, await callTool(service, tool, args));
      const second = await signPayment(payer, await callTool(service, tool, args));
      const two = await callTool(service, tool, args, {
        meta: asMeta(first),
        headers: { ...NATIVE, 'payment-signature': second },
      });
      expect([two.status, two.body.error?.data?.['code']]).toEqual([400, 'payment_ambiguous']);
      expect(two.headers.get('payment-required')).toBeNull();
      expect(await payer.balance()).toBe(1_000_000n);
      const one = await callTool(service, tool, args, { meta: asMeta(first), headers: { 'payment-signature': first } });
      expect(one.body.result?.structuredContent).toMatchObject({ domain: DOMAIN });
      expect(await payer.balance()).toBe(980_000n);
    });

    it('refuse a payment used for another call with 409, as a result for an MCP client', async () => {
      const header = await signPayment(payer, await callTool(service, tool, args));
      await callTool(service, tool, args, { headers: { 'payment-signature': header } });
      const payment = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
      delete payment.resource;
      const other = { domain: 'other.example.com' };
      const plain = await callTool(service, tool, other, { headers: { 'payment-signature': base64(payment) } });
      expect([plain.status, plain.body.error?.data?.['code']]).toEqual([409, 'payment_used_for_another_request']);
      const native = await callTool(service, tool, other, { meta: { 'x402/payment': payment } });
      expect(native.status).toBe(200);
      expect(native.body.result).toMatchObject({
        isError: true,
        structuredContent: { code: 'payment_used_for_another_request' },
      });
      expectSchema(tool, native);
      expect(await payer.balance()).toBe(980_000n);
    });

    it('answer an uncovered payment and one of an unknown kind with the reason and the terms', async () => {
      const poor = await newPayer(1n);
      const header = await signPayment(poor, await callTool(service, tool, args));
      const refused = await callTool(service, tool, args, { meta: asMeta(header) });
      expect(refused.body.result).toMatchObject({
        isError: true,
        structuredContent: { code: 'invalid_exact_evm_insufficient_balance', x402Version: 2 },
      });
      const unknown = await callTool(service, tool, args, { meta: { 'x402/payment': 'please' } });
      expect(unknown.body.result).toMatchObject({ structuredContent: { code: 'payment_invalid', accepts: [{}] } });
    });
  });
});
