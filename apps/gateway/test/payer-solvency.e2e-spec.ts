import { decodePaymentSignatureHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import fc from 'fast-check';
import { Client } from 'pg';
import { chainClient } from '../../standalone/src/embedded/embedded-chain';
import { startFaultyFacilitator, type FaultyFacilitator } from '../../../test/support/facilitator';
import { fund, newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { stack } from '../../../test/support/stack';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const PRICE = 5_000n;
const PATH = '/api/v1/hosts/shop.example.com/protocols/llms/refresh';

/** `if (tx.gasprice != 0) revert(); return 0x1626ba7e;`: a read-only call has no gas price (EIP-1271). */
const ACCEPTS_WHAT_COSTS_NOTHING = '0x3a15600a5760006000fd5b631626ba7e60e01b60005260206000f3';

/** Two gateways, one ledger. */
describe('a payer who buys more at once than it can pay for', () => {
  let facilitator: FaultyFacilitator;
  let services: readonly Service[];
  let shop: TestHost;
  let sql: Client;

  beforeAll(async () => {
    facilitator = await startFaultyFacilitator();
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    const env = { X402_FACILITATOR_URL: facilitator.url };
    const common = {
      backend: 'postgres',
      connectTo: [shop.as('shop.example.com')],
      caFile: await testCaFile(),
    } as const;
    const first = await startService({ ...common, env });
    const same = { DATABASE_URL: first.config.database.url, PUBLIC_BASE_URL: first.baseUrl, X402_PAY_TO: first.payTo };
    services = [first, await startService({ ...common, worker: false, env: { ...env, ...same } })];
    sql = new Client({ connectionString: first.config.database.url });
    await sql.connect();
  });
  beforeEach(() => {
    facilitator.fault = 'none';
  });
  afterAll(async () => {
    await sql.end();
    for (const service of [...services].reverse()) await service.stop();
    await Promise.all([shop.close(), facilitator.close()]);
  });

  const urlAt = (at: number): string => `http://127.0.0.1:${services[at % 2]!.config.http.port}${PATH}`;
  const sign = async (payer: Payer): Promise<{ headers: { 'payment-signature': string } }> => ({
    headers: { 'payment-signature': await signPayment(payer, await fetch(urlAt(0))) },
  });
  async function buyTogether(payer: Payer, count: number): Promise<readonly { status: number; code: unknown }[]> {
    const payments = await Promise.all(Array.from({ length: count }, () => sign(payer)));
    return Promise.all(
      payments.map(async (payment, at) => {
        const response = await fetch(urlAt(at), payment);
        return { status: response.status, code: ((await response.json()) as { code?: unknown }).code };
      }),
    );
  }
  const worked = async (payer: Payer): Promise<number> => {
    const { rowCount } = await sql.query(
      `SELECT FROM payment_event e JOIN payment_attempt ON id = attempt_id WHERE payer = $1 AND e.state = 'answer_stored'`,
      [payer.account.address.toLowerCase()],
    );
    return rowCount ?? 0;
  };

  it('gets what its balance covers, and is refused the rest before the work', async () => {
    const funds = fc.record({ affords: fc.integer({ min: 1, max: 5 }), count: fc.integer({ min: 2, max: 16 }) });
    for (const { affords, count } of [{ affords: 1, count: 30 }, ...fc.sample(funds, { numRuns: 8, seed: 3 })]) {
      const payer = await newPayer(PRICE * BigInt(affords));
      const ends = await buyTogether(payer, count);
      const sold = ends.filter(({ status }) => status === 200).length;
      expect(ends.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
      expect([sold, await worked(payer)]).toEqual([Math.min(affords, count), sold]);
      expect(await payer.balance()).toBe(PRICE * BigInt(affords - sold));
    }
  });

  it('has its payments taken one at a time, with growing pauses, after a settlement failed for lack of funds', async () => {
    const payer = await newPayer(0n);
    facilitator.fault = ({ path }) => (path === '/verify' ? 'verify_waved' : 'settle_refused');
    expect((await fetch(urlAt(0), await sign(payer))).status).toBe(402);
    facilitator.fault = 'none';
    await fund(payer.account.address, 1_000_000n);
    const early = await fetch(urlAt(1), await sign(payer));
    expect([early.status, ((await early.json()) as { code: string }).code]).toEqual([429, 'payer_must_wait']);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(20);
    expect(await worked(payer)).toBe(1);
    const long = `UPDATE payment_attempt SET updated_at = now() - interval '31 seconds' WHERE state = 'settle_failed'`;
    await sql.query(long);
    const inTurn = await buyTogether(payer, 6);
    expect(inTurn.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(inTurn.filter(({ code }) => code === 'payer_must_wait').length).toBeGreaterThanOrEqual(1);
    expect((await fetch(urlAt(0), await sign(payer))).status).toBe(200);
  });

  it.each([
    ['a contract that accepts a signature check and reverts the transfer', 'contract'],
    ['a key that delegates to such a contract (EIP-7702)', 'key'],
  ])('has its payments taken one at a time, with growing pauses, after its wallet refused: %s', async (_, kind) => {
    const payer = await newPayer();
    const { address } = payer.account;
    await chainClient(stack().rpcUrl, 8453).setCode({ address, bytecode: ACCEPTS_WHAT_COSTS_NOTHING });
    const payment = async () => {
      const signed = await sign(payer);
      if (kind === 'key') return signed;
      const payload = decodePaymentSignatureHeader(signed.headers['payment-signature']);
      payload.payload['signature'] = '0x1234';
      return { headers: { 'payment-signature': encodePaymentSignatureHeader(payload) } };
    };
    expect((await fetch(urlAt(0), await payment())).status).toBe(503);
    expect(await worked(payer)).toBe(1);
    for (const pauseSec of [30, 60, 120]) {
      const early = await fetch(urlAt(1), await payment());
      expect([early.status, ((await early.json()) as { code: string }).code]).toEqual([429, 'payer_must_wait']);
      expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(pauseSec - 20);
      const under = `SELECT FROM payment_attempt WHERE payer = $1 AND state IN ('received', 'verified', 'working', 'settling')`;
      await until(
        'no payment is under way',
        async () => (await sql.query(under, [address.toLowerCase()])).rowCount === 0,
      );
      // Expires the authorization, and the pause with it.
      await sql.query(
        `UPDATE payment_attempt SET state = 'settle_failed', updated_at = now() - $1 * interval '1 second'
         WHERE payer = $2 AND state IN ('settle_unknown', 'settle_failed')`,
        [pauseSec + 1, address.toLowerCase()],
      );
      const ends = await Promise.all([0, 1, 2].map(async (at) => (await fetch(urlAt(at), await payment())).status));
      expect(ends.toSorted()).toEqual([429, 429, 503]);
    }
    expect(await payer.balance()).toBe(1_000_000n);
    expect(await worked(payer)).toBe(4);
  });
});
