import { Client } from 'pg';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import {
  startFaultyFacilitator,
  type FacilitatorFault,
  type FaultyFacilitator,
} from '../../../test/support/facilitator';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startRpcProxy, type RpcProxy } from '../../../test/support/rpc-proxy';
import { startService, type Service } from '../../../test/support/service';
import { stack } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';
import { startUsdcChain, type UsdcChain } from '../../../test/support/usdc-chain';

interface Row {
  readonly state: string;
  readonly reason: string | null;
  readonly transaction: string | null;
}

let shop: TestHost;
let service: Service;
let sql: Client;
let url: string;
let payer: Payer;

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  service = await startService({
    connectTo: [shop.as('shop.example.com')],
    env,
  });
  url = `${service.baseUrl}/api/v1/hosts/shop.example.com/protocols/llms/refresh`;
  sql = new Client({ connectionString: service.config.database.url });
  await sql.connect();
}
async function stop(): Promise<void> {
  await sql.end();
  await service.stop();
}
const attempt = async (): Promise<Row> => {
  const { rows } = await sql.query<Row>(
    `SELECT state, reason, settlement->>'transaction' AS transaction FROM payment_attempt WHERE payer = $1`,
    [payer.account.address.toLowerCase()],
  );
  return rows[0]!;
};
const reached = (state: string): Promise<void> =>
  until(`an attempt that is ${state}`, async () => (await attempt()).state === state);
const payment = async (): Promise<{ headers: { 'payment-signature': string } }> => ({
  headers: { 'payment-signature': await signPayment(payer, await fetch(url)) },
});

beforeAll(async () => {
  shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
});
afterAll(() => shop.close());

describe.each(['off', 'on'])('a facilitator that lies, trusted: %s', (trust) => {
  let facilitator: FaultyFacilitator;
  let node: RpcProxy;

  beforeAll(async () => {
    facilitator = await startFaultyFacilitator();
    node = await startRpcProxy(stack().rpcUrl);
    await start({ X402_FACILITATOR_URL: facilitator.url, RPC_URL_8453: node.url, FACILITATOR_TRUST: trust });
    payer = await newPayer();
    expect((await payer.fetch(url)).status).toBe(200); // `settle_of_another` reports this transaction.
  });
  beforeEach(async () => {
    facilitator.fault = 'none';
    payer = await newPayer();
  });
  afterAll(async () => {
    await stop();
    await Promise.all([facilitator.close(), node.close()]);
  });

  it.each<FacilitatorFault>(['settle_made_up', 'settle_of_another'])(
    'is not believed if it falsely reports a settlement (%s)',
    async (fault) => {
      const sent = await payment();
      facilitator.fault = fault;
      const first = await fetch(url, sent);
      expect(first.status).toBe(trust === 'on' ? 200 : 503);
      if (trust === 'on') await reached('settle_unknown');
      expect(await attempt()).toMatchObject({ state: 'settle_unknown' });
      facilitator.fault = 'none';
      await reached('settled');
      expect((await fetch(url, sent)).status).toBe(200);
      expect(await payer.balance()).toBe(995_000n);
    },
  );

  it('is corrected if it reports a wrong transaction', async () => {
    const sent = await payment();
    facilitator.fault = 'settle_wrong_hash';
    expect((await fetch(url, sent)).status).toBe(200);
    await until('the transaction of the chain', async () => !/^0x0{10}/.test((await attempt()).transaction ?? '0x'));
    expect(await attempt()).toMatchObject({ state: 'settled' });
    expect(await payer.balance()).toBe(995_000n);
  });

  it('is not believed if it refuses a payment that it sent, even while the chain cannot be read', async () => {
    const sent = await payment();
    facilitator.fault = 'settle_landed_then_refused';
    node.down = true;
    const unknown = await fetch(url, sent);
    expect(unknown.status).toBe(503);
    expect(await unknown.json()).toMatchObject({ code: 'settlement_unknown' });
    node.down = false;
    expect((await fetch(url, sent)).status).toBe(200);
    expect(await payer.balance()).toBe(995_000n);
  });
});

describe('a block that vanishes after the response', () => {
  let chain: UsdcChain;

  beforeAll(async () => {
    chain = await startUsdcChain('eip155:8453');
    const key = generatePrivateKey();
    await chain.client.setBalance({ address: privateKeyToAddress(key), value: parseEther('1') });
    await start({ X402_FACILITATOR_URL: '', X402_FACILITATOR_KEY: key, RPC_URL_8453: chain.rpcUrl });
  });
  beforeEach(async () => {
    payer = await newPayer(0n);
    await chain.mint(payer.account.address, 1_000_000n);
  });
  afterAll(async () => {
    await stop();
    await chain.stop();
  });

  /** Buys, and removes the blocks of the purchase from the chain. */
  async function boughtAndVanished(): Promise<{ headers: { 'payment-signature': string } }> {
    const id = await chain.client.snapshot();
    const sent = await payment();
    expect((await fetch(url, sent)).status).toBe(200);
    await chain.client.revert({ id });
    return sent;
  }

  it('is detected, and the payment is settled again', async () => {
    const sent = await boughtAndVanished();
    await until('a second settlement', async () => {
      const { rowCount } = await sql.query(
        `SELECT FROM payment_event JOIN payment_attempt ON id = attempt_id WHERE payer = $1 AND payment_event.state = 'settled'`,
        [payer.account.address.toLowerCase()],
      );
      return rowCount === 2;
    });
    const again = await fetch(url, sent);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  });

  it('is recorded as lost after its authorization expired, and its answer is not released again', async () => {
    const sent = await boughtAndVanished();
    await chain.client.increaseTime({ seconds: 3_600 });
    await chain.client.mine({ blocks: 1 });
    await reached('lost');
    expect(await attempt()).toMatchObject({ reason: 'transfer_vanished' });
    expect((await fetch(url, sent)).status).toBe(402);
  });
});
