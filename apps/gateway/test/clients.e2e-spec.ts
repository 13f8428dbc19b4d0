import {
  checkEndpointSchema,
  checkL2ForOpenAPI,
  checkL4ForOpenAPI,
  getOpenAPI,
  getWarningsForL2,
  getWarningsForL3,
  getWarningsForL4,
  getWarningsForOpenAPI,
  validatePaymentRequiredDetailed,
  type OpenApiSource,
} from '@agentcash/discovery';
import { createPaymentHandler } from '@faremeter/payment-evm/exact';
import { wrap } from '@faremeter/fetch';
import { wrapAxiosWithPayment } from '@x402/axios';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import {
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  verifyOfferSignatureEIP712,
  verifyReceiptSignatureEIP712,
  type EIP712SignedOffer,
  type EIP712SignedReceipt,
} from '@x402/extensions/offer-receipt';
import { validateDiscoveryExtension, type DiscoveryExtension } from '@x402/extensions/bazaar';
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import * as fetch211 from '@x402/fetch-2.11';
import * as fetch220 from '@x402/fetch-2.20';
import * as fetch25 from '@x402/fetch-2.5';
import axios from 'axios';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { cancelAuthorization } from '../../../test/support/authorization';
import { fund, newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type Route, type TestHost } from '../../../test/support/test-host';

const DOMAINS = { domains: ['shop.example.com', 'api.example.com'], mode: 'full' };
const PAY_TO = '0x1111111111111111111111111111111111111111';

/** Every route that costs money: method, path and query, body. */
const PAID: [method: string, path: string, body: object | undefined][] = [
  ['GET', '/api/v1/hosts/shop.example.com/refresh', undefined],
  ['GET', '/api/v1/hosts/shop.example.com?refresh=1', undefined],
  ['GET', '/api/v1/hosts/shop.example.com/protocols/llms/refresh', undefined],
  ['POST', '/api/v1/hosts/refresh', DOMAINS],
  ['POST', '/api/v1/hosts/shop.example.com/subscription', undefined],
  ['POST', '/api/v1/watches', { domain: 'shop.example.com', url: 'https://hooks.example.com/' }],
  ['GET', '/api/v1/hosts/shop.example.com/pay-preflight?intent=api', undefined],
  ['GET', '/api/v1/endpoints/health?url=https%3A%2F%2Fshop.example.com%2Fapi', undefined],
  ['GET', `/api/v1/hosts/shop.example.com/payto-check?address=${PAY_TO}`, undefined],
  ['GET', `/api/v1/receipts/0x${'ab'.repeat(32)}/verify?payTo=${PAY_TO}&amount=20000`, undefined],
];

type Pay = (payer: Payer, url: string) => Promise<{ readonly status: number; readonly receipt: string | null }>;

const viaFetch =
  (make: (payer: Payer) => typeof fetch, header = 'payment-response'): Pay =>
  async (payer, url) => {
    // Version 2.5 reads the second argument without checking that it exists.
    const { status, headers } = await make(payer)(url, {});
    return { status, receipt: headers.get(header) };
  };

/** Official clients of one version, all created the same way. */
interface Official {
  readonly wrapFetchWithPayment: (fetched: typeof fetch, client: never) => unknown;
  readonly x402Client: new () => { register: (network: never, scheme: never) => unknown };
}
const official = ({ wrapFetchWithPayment: wrapped, x402Client: Client }: Official): Pay =>
  viaFetch((payer) => {
    const client = new Client();
    client.register('eip155:*' as never, new ExactEvmScheme(payer.account) as never);
    return wrapped(fetch, client as never) as typeof fetch;
  });

/** A version 1 client: it reads only the body, and sends its own header. */
const firstVersion = (ask: (url: string) => [url: string, headers: Record<string, string>]): Pay =>
  viaFetch((payer) => {
    const client = new x402Client().registerV1('base', new ExactEvmSchemeV1(payer.account));
    const old: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const [url, more] = ask(request.url);
      const headers = new Headers({ ...Object.fromEntries(request.headers), ...more });
      const response = await fetch(url, { headers });
      if (response.status !== 402) return response;
      const seen = new Headers(response.headers);
      seen.delete('payment-required');
      return new Response(await response.text(), { status: 402, headers: seen });
    };
    return wrapFetchWithPayment(old, client);
  }, 'x-payment-response');

const CLIENTS: readonly (readonly [string, Pay])[] = [
  ['@x402/fetch 2.27', official({ wrapFetchWithPayment, x402Client })],
  ['@x402/fetch 2.20', official(fetch220)],
  ['@x402/fetch 2.11', official(fetch211)],
  ['@x402/fetch 2.5', official(fetch25)],
  [
    '@x402/axios 2.11',
    async (payer, url) => {
      const client = new x402Client().register('eip155:*', new ExactEvmScheme(payer.account));
      const paying = wrapAxiosWithPayment(axios.create(), client as never);
      const { status, headers } = await paying.get(url);
      return { status, receipt: String(headers['payment-response']) };
    },
  ],
  [
    '@faremeter/fetch 0.22',
    viaFetch((payer) => {
      const { address, signTypedData } = payer.account;
      const account = { signTypedData: (message: object) => signTypedData(message as never) };
      const handler = createPaymentHandler({ chain: { id: 8453, name: 'base' }, address, account });
      return wrap(fetch, { handlers: [handler] }) as typeof fetch;
    }),
  ],
  ['a version 1 client that asks with a header', firstVersion((url) => [url, { 'x-402-version': '1' }])],
  ['a version 1 client that asks in the query', firstVersion((url) => [`${url}?x402Version=1`, {}])],
];

describe('released clients', () => {
  const signingKey = generatePrivateKey();
  let service: Service;
  let shop: TestHost;
  let url: string;
  let payer: Payer;
  let serve: Route;

  beforeAll(async () => {
    shop = await startTestHost({
      '/llms.txt': (request, response) => {
        serve(request, response);
      },
    });
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
      env: { OFFER_SIGNING_KEY: signingKey, TARGET_PROBES_PER_15_MIN: '1000', TARGET_REQUESTS_PER_MIN: '100000' },
    });
    url = `${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`;
  });
  beforeEach(async () => {
    serve = says('# Shop\n');
    payer = await newPayer();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  const unpaid = (method: string, path: string, body?: object, headers: object = {}): Promise<Response> =>
    fetch(`${service.baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  it.each(CLIENTS)('%s pays, and gets a receipt that it can read', async (_, pay) => {
    const { status, receipt } = await pay(payer, url);
    expect(status).toBe(200);
    expect(await payer.balance()).toBe(980_000n);
    const { success, transaction } = decodePaymentResponseHeader(receipt!);
    expect({ success, transaction }).toEqual({ success: true, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  });

  it('a version 1 payer gets the version 1 name of the network', async () => {
    const asked = await fetch(url, { headers: { 'x-402-version': '1' } });
    const body = (await asked.json()) as { accepts: { network: string; maxAmountRequired: string }[] };
    expect(body).toMatchObject({ x402Version: 1, sku: 'host_refresh', accepts: [{ network: 'base' }] });
    const { receipt } = await CLIENTS.find(([name]) => name.includes('with a header'))![1](payer, url);
    expect(decodePaymentResponseHeader(receipt!)).toMatchObject({ network: 'base' });
  });

  it('a version 1 payer gets a refusal in version 1', async () => {
    const broken = await fetch(url, { headers: { 'x-payment': 'e30=' } });
    expect(broken.status).toBe(402);
    expect(await broken.json()).toMatchObject({ x402Version: 1, code: 'payment_invalid' });
  });

  it('a version 2 payer gets no receipt of version 1', async () => {
    const response = await payer.fetch(url);
    expect(response.headers.get('payment-response')).not.toBeNull();
    expect(response.headers.get('x-payment-response')).toBeNull();
  });

  it.each(PAID)(
    'the directory validator reports no problem with the challenge of %s %s',
    async (method, path, body) => {
      const response = await unpaid(method, path, body);
      expect(response.status).toBe(402);
      const required = decodePaymentRequiredHeader(response.headers.get('payment-required')!);
      for (const challenge of [required, await response.json()]) {
        expect(validatePaymentRequiredDetailed(challenge)).toMatchObject({
          valid: true,
          issues: [],
        });
      }
      expect(validateDiscoveryExtension(required.extensions!['bazaar'] as DiscoveryExtension)).toEqual({ valid: true });
    },
  );

  it('the directory finds every product with its price, without warnings', async () => {
    const source = (await getOpenAPI(service.baseUrl))._unsafeUnwrap() as OpenApiSource;
    const found = checkL2ForOpenAPI(source);
    const paid = found.routes.filter(({ authMode }) => authMode === 'paid');
    expect(paid.map(({ path, price }) => [path, price])).toEqual([
      ['/api/v1/hosts/{domain}/subscription', '5 USD'],
      ['/api/v1/hosts/{domain}/refresh', '0.02 USD'],
      ['/api/v1/hosts/{domain}/protocols/{protocol}/refresh', '0.005 USD'],
      ['/api/v1/hosts/refresh', '0.012-0.03 USD'],
      ['/api/v1/hosts/{domain}/pay-preflight', '0.001 USD'],
      ['/api/v1/endpoints/health', '0.001 USD'],
      ['/api/v1/hosts/{domain}/payto-check', '0.002 USD'],
      ['/api/v1/receipts/{tx}/verify', '0.001 USD'],
      ['/api/v1/watches', '0.01 USD'],
    ]);
    const manifest = await fetch(`${service.baseUrl}/.well-known/x402`);
    const { resources } = (await manifest.json()) as { resources: readonly string[] };
    expect(resources).toHaveLength(paid.length);
    // The validator's document format cannot express a free route, so it reports a missing auth mode there. Pages are
    // routes too, and exceed its limit of 40.
    const expected = ['L2_AUTH_MODE_MISSING', 'L2_ROUTE_COUNT_HIGH'];
    const warnings = getWarningsForL2(found).filter(({ code }) => !expected.includes(code));
    expect([...getWarningsForOpenAPI(source), ...warnings, ...getWarningsForL4(checkL4ForOpenAPI(source))]).toEqual([]);
    for (const resource of resources) {
      const checked = await checkEndpointSchema({
        url: `${service.baseUrl}${new URL(resource.replace(/^[A-Z]+ /, '')).pathname}`,
      });
      const advisories = checked.found ? checked.advisories.filter(({ authMode }) => authMode === 'paid') : [];
      expect(advisories).toHaveLength(1);
      expect(advisories.flatMap(getWarningsForL3)).toEqual([]);
    }
  });

  it.each(PAID)('%s %s has a challenge of version 1', async (method, path, body) => {
    const response = await unpaid(method, path, body, { 'x-402-version': '1' });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ x402Version: 1, accepts: [{ network: 'base' }] });
  });

  it('signs the offers of a refresh and the receipt of its payment', async () => {
    const signer = privateKeyToAddress(signingKey);
    const challenge = await fetch(url);
    const required = (await challenge.clone().json()) as PaymentRequired;
    const [offered] = extractOffersFromPaymentRequired(required) as EIP712SignedOffer[];
    expect((await verifyOfferSignatureEIP712(offered!)).signer).toBe(signer);

    const headers = { 'payment-signature': await signPayment(payer, challenge) };
    const paid = await fetch(url, { headers });
    const receipt = extractReceiptFromResponse(paid) as EIP712SignedReceipt;
    const verified = await verifyReceiptSignatureEIP712(receipt);
    expect(verified.signer).toBe(signer);
    expect(verified.payload).toMatchObject({ resourceUrl: url, payer: payer.account.address.toLowerCase() });
    const again = await fetch(url, { headers });
    expect(again.headers.get('payment-response')).toBe(paid.headers.get('payment-response'));
  });

  it('releases nothing if the payer cancels the authorization during the work, and says why', async () => {
    const payment = await signPayment(payer, await fetch(url));
    const { nonce } = JSON.parse(Buffer.from(payment, 'base64').toString('utf8')).payload.authorization as {
      nonce: Hex;
    };
    serve = (request, response) => {
      void cancelAuthorization(payer, nonce).then(() => {
        says('# Shop\n')(request, response);
      });
    };
    for (const repeat of ['at once', 'and when sent again']) {
      const refused = await fetch(url, { headers: { 'payment-signature': payment } });
      expect([repeat, refused.status]).toEqual([repeat, 402]);
      expect(await refused.json()).toMatchObject({ code: 'authorization_canceled', sku: 'host_refresh' });
      expect(decodePaymentResponseHeader(refused.headers.get('payment-response')!)).toEqual({
        success: false,
        errorReason: 'authorization_canceled',
        transaction: '',
        network: 'eip155:8453',
        payer: payer.account.address.toLowerCase(),
      });
    }
    expect(await payer.balance()).toBe(1_000_000n);
  });

  describe('that name their purchase', () => {
    const named = async (id: string): Promise<string> => {
      const client = new x402Client().register('eip155:*', new ExactEvmScheme(payer.account));
      const required = decodePaymentRequiredHeader((await fetch(url)).headers.get('payment-required')!);
      const extensions = appendPaymentIdentifierToExtensions({ ...required.extensions }, id);
      const payment = { ...(await client.createPaymentPayload(required)), extensions };
      return Buffer.from(JSON.stringify(payment)).toString('base64');
    };

    it('get the stored answer for the same payment, and an uncharged 409 for another one', async () => {
      const first = await named('order_2026_11_01');
      const paid = await fetch(url, { headers: { 'payment-signature': first } });
      expect(paid.status).toBe(200);
      const again = await fetch(url, { headers: { 'payment-signature': first } });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await again.text()).toBe(await paid.text());

      const other = await fetch(url, { headers: { 'payment-signature': await named('order_2026_11_01') } });
      expect(other.status).toBe(409);
      expect(await other.json()).toMatchObject({ code: 'payment_identifier_used' });
      expect(await payer.balance()).toBe(980_000n);
    });

    it('can use Idempotency-Key, which fetches nothing without a payment', async () => {
      const headers = { 'idempotency-key': '"8e03978e-40d5-43e8-bc93-6894a57f9324"' };
      const pay = async (): Promise<Response> =>
        fetch(url, { headers: { ...headers, 'payment-signature': await signPayment(payer, await fetch(url)) } });
      expect((await pay()).status).toBe(200);
      expect((await pay()).status).toBe(409);
      expect((await fetch(url, { headers })).status).toBe(402);
      expect(await payer.balance()).toBe(980_000n);
    });

    it('can reuse a name whose payment was never charged', async () => {
      const poor = await newPayer(0n);
      [payer] = [poor];
      expect((await fetch(url, { headers: { 'payment-signature': await named('order_2026_11_02') } })).status).toBe(
        402,
      );
      await fund(poor.account.address, 20_000n);
      expect((await fetch(url, { headers: { 'payment-signature': await named('order_2026_11_02') } })).status).toBe(
        200,
      );
      expect(await poor.balance()).toBe(0n);
    });

    it('can give the same payment another name if the first was taken', async () => {
      const pay = async (payment: string, name: string): Promise<number> =>
        (await fetch(url, { headers: { 'payment-signature': payment, 'idempotency-key': name } })).status;
      const sign = async (): Promise<string> => signPayment(payer, await fetch(url));
      const [first, second] = [await sign(), await sign()];
      expect(await pay(first, 'lunch')).toBe(200);
      expect(await pay(second, 'lunch')).toBe(409);
      expect(await pay(second, 'dinner')).toBe(200);
      expect(await pay(await sign(), 'dinner')).toBe(409);
      expect(await payer.balance()).toBe(960_000n);
    });

    it('can use a name that another payer uses', async () => {
      expect((await fetch(url, { headers: { 'payment-signature': await named('order_2026_11_03') } })).status).toBe(
        200,
      );
      payer = await newPayer();
      expect((await fetch(url, { headers: { 'payment-signature': await named('order_2026_11_03') } })).status).toBe(
        200,
      );
    });
  });
});
