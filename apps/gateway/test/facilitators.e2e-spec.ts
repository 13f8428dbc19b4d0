import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { chainClient } from '../../standalone/src/embedded/embedded-chain';
import { freePort } from '../../standalone/src/embedded/free-port';
import { startFaultyFacilitator } from '../../../test/support/facilitator';
import { newPayer, signPayment } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { stack } from '../../../test/support/stack';
import { startRpcProxy } from '../../../test/support/rpc-proxy';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

/** Distinct payments sent at once. */
const BUYERS = 50;

describe('the facilitator of the paywall', () => {
  let shop: TestHost;
  let service: Service | undefined;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });
  afterAll(() => shop.close());

  async function start(env: Readonly<Record<string, string>>): Promise<{ baseUrl: string; url: string }> {
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
      env: { TARGET_PROBES_PER_15_MIN: '1000', TARGET_REQUESTS_PER_MIN: '100000', ...env },
    });
    const { baseUrl } = service;
    return { baseUrl, url: `${baseUrl}/api/v1/hosts/shop.example.com/refresh` };
  }

  const readiness = async (baseUrl: string): Promise<unknown> => (await fetch(`${baseUrl}/health/ready`)).json();

  it('can run in this process, which settles 50 concurrent payments in at most 51 transactions', async () => {
    const key = generatePrivateKey();
    const client = chainClient(stack().rpcUrl, 8453);
    await client.setBalance({ address: privateKeyToAddress(key), value: parseEther('1') });
    const { baseUrl, url } = await start({ X402_FACILITATOR_URL: '', X402_FACILITATOR_KEY: key });
    expect(await readiness(baseUrl)).toMatchObject({ status: 'ok', parts: { facilitator: 'up' } });

    const challenge = await fetch(url);
    const payers = await Promise.all(Array.from({ length: BUYERS }, () => newPayer(20_000n)));
    const payments = await Promise.all(payers.map((payer) => signPayment(payer, challenge.clone())));
    const answers = await Promise.all(
      payments.map((payment) => fetch(url, { headers: { 'payment-signature': payment } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(payers.map(() => 200));
    expect(await Promise.all(payers.map((payer) => payer.balance()))).toEqual(payers.map(() => 0n));
    const transactions = await client.getTransactionCount({ address: privateKeyToAddress(key) });
    expect(transactions).toBeGreaterThanOrEqual(BUYERS);
    expect(transactions).toBeLessThanOrEqual(BUYERS + 1);
  });

  it('answers 503 and never a new challenge while the node is down', async () => {
    const key = generatePrivateKey();
    await chainClient(stack().rpcUrl, 8453).setBalance({ address: privateKeyToAddress(key), value: parseEther('1') });
    const node = await startRpcProxy(stack().rpcUrl);
    const { baseUrl, url } = await start({
      X402_FACILITATOR_URL: '',
      X402_FACILITATOR_KEY: key,
      RPC_URL_8453: node.url,
    });
    const payer = await newPayer();
    expect((await payer.fetch(url)).status).toBe(200);
    const payment = { headers: { 'payment-signature': await signPayment(payer, await fetch(url)) } };
    node.down = true;
    const away = await fetch(url, payment);
    expect(away.status).toBe(503);
    expect(await away.json()).toMatchObject({ code: 'facilitator_unavailable' });
    await until('a health check that notices', async () => {
      const { status } = (await readiness(baseUrl)) as { readonly status: string };
      return status === 'degraded';
    });
    node.down = false;
    expect((await fetch(url, payment)).status).toBe(200);
    expect(await payer.balance()).toBe(960_000n);
    await node.close();
  });

  it('can be down at the start: free routes work, paid ones answer 503, and payments work later', async () => {
    const port = await freePort();
    const { baseUrl, url } = await start({ X402_FACILITATOR_URL: `http://127.0.0.1:${port}` });
    expect(await readiness(baseUrl)).toMatchObject({ status: 'degraded', parts: { facilitator: 'down' } });
    expect((await fetch(`${baseUrl}/api/v1/hosts/shop.example.com`)).status).toBe(200);
    const payer = await newPayer();
    const payment = { headers: { 'payment-signature': await signPayment(payer, await fetch(url)) } };
    const away = await fetch(url, payment);
    expect(away.status).toBe(503);
    expect(await away.json()).toMatchObject({ code: 'facilitator_unavailable' });

    const facilitator = await startFaultyFacilitator(port);
    expect((await fetch(url, payment)).status).toBe(200);
    expect(await payer.balance()).toBe(980_000n);
    await facilitator.close();
  });

  it('is called with its configured authorization', async () => {
    const facilitator = await startFaultyFacilitator();
    const { url } = await start({ X402_FACILITATOR_URL: facilitator.url, X402_FACILITATOR_AUTH: 'Bearer let-me-in' });
    const payer = await newPayer();
    expect((await payer.fetch(url)).status).toBe(200);
    expect([...new Set(facilitator.authorizations)].sort()).toEqual([
      '/settle Bearer let-me-in',
      '/supported Bearer let-me-in',
      '/verify Bearer let-me-in',
    ]);
    await facilitator.close();
  });

  it('is off until it is configured, and paid routes say so', async () => {
    const { baseUrl, url } = await start({ X402_FACILITATOR_URL: '' });
    expect(await readiness(baseUrl)).toMatchObject({ status: 'ok', parts: { facilitator: 'off' } });
    const response = await fetch(url);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'payments_not_configured' });
  });
});
