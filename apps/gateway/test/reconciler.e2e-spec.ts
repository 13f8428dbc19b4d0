import { Client } from 'pg';
import { ViemAuthorizationReader, type AuthorizationReader, ResourceServerFacilitator } from '@app/payments';
import { Database, OpenPaymentRepository, PaymentRepository } from '@app/storage';
import { startFaultyFacilitator, type FaultyFacilitator } from '../../../test/support/facilitator';
import { balanceOf, newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { stack } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';
import { Settler } from '../src/checkout/settler';
import { SettlementReconciler, type ReconcilerPass } from '../src/checkout/settlement-reconciler';

const LATER_MS = 600_000;
const chain = new ViemAuthorizationReader([stack().rpcUrl]);

describe('settlements that no request is waiting for', () => {
  let facilitator: FaultyFacilitator;
  let service: Service;
  let shop: TestHost;
  let url: string;
  let sql: Client;
  let payer: Payer;

  beforeAll(async () => {
    facilitator = await startFaultyFacilitator();
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
      env: {
        X402_FACILITATOR_URL: facilitator.url,
        TARGET_PROBES_PER_15_MIN: '1000',
        TARGET_REQUESTS_PER_MIN: '100000',
      },
    });
    url = `${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`;
    sql = new Client({ connectionString: service.config.database.url });
    await sql.connect();
  });
  beforeEach(async () => {
    facilitator.fault = 'none';
    payer = await newPayer();
  });
  afterAll(async () => {
    await sql.end();
    await service.stop();
    await Promise.all([shop.close(), facilitator.close()]);
  });

  /** A payment whose settlement got no response, as its header. */
  async function leftUnknown(): Promise<{ headers: { 'payment-signature': string } }> {
    const payment = { headers: { 'payment-signature': await signPayment(payer, await fetch(url)) } };
    facilitator.fault = 'settle_not_sent';
    expect((await fetch(url, payment)).status).toBe(503);
    return payment;
  }

  const attempt = async (): Promise<{ id: string; state: string; reason: string | null }> => {
    const { rows } = await sql.query<{ id: string; state: string; reason: string | null }>(
      'SELECT id, state, reason FROM payment_attempt WHERE payer = $1',
      [payer.account.address.toLowerCase()],
    );
    return rows[0]!;
  };

  async function ends(): Promise<string> {
    let state = '';
    await until('the end of an attempt', async () => {
      ({ state } = await attempt());
      return ['settled', 'settle_failed', 'work_failed'].includes(state);
    });
    return state;
  }

  /** The chain with its newest block as recent as the other gateway's clock. */
  const chainLater: AuthorizationReader = {
    finalBlock: () => chain.finalBlock(),
    balanceOf: (holder) => chain.balanceOf(holder),
    hasCode: (holder) => chain.hasCode(holder),
    fateOf: async (query) => {
      const fate = await chain.fateOf(query);
      return fate.kind === 'unused' ? { ...fate, asOf: new Date(Date.now() + LATER_MS) } : fate;
    },
  };

  /** Reconciles as another gateway whose clock is ahead, until one attempt has ended or `passes` are over. */
  async function reconcileLater(
    reader: AuthorizationReader = chainLater,
    passes = Infinity,
  ): Promise<ReconcilerPass | undefined> {
    const database = new Database(service.config.database.url, service.config.database);
    const ledger = new PaymentRepository(database);
    const now = (): Date => new Date(Date.now() + LATER_MS);
    const settler = new Settler({
      ledger,
      facilitator: ResourceServerFacilitator.overHttp(facilitator.url, 'eip155:8453'),
      chain: reader,
      trust: false,
      pause: () => Promise.resolve(),
      signer: null,
      signed: new Set(),
      unsigned: () => undefined,
      now,
    });
    const exclusively = async (work: () => Promise<void>): Promise<boolean> => work().then(() => true);
    const reconciler = new SettlementReconciler({
      ledger,
      open: new OpenPaymentRepository(database),
      settler,
      exclusively,
      now,
      failed: () => undefined,
    });
    try {
      for (let made = 0; made < passes; made += 1) {
        const pass = await reconciler.pass();
        if (pass.settled + pass.failed + pass.expired > 0) return pass;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return undefined;
    } finally {
      await database.close();
    }
  }

  it('are sent again if nothing was sent, and the buyer gets the answer without a second charge', async () => {
    const payment = await leftUnknown();
    facilitator.fault = 'none';
    expect(await ends()).toBe('settled');
    expect(await payer.balance()).toBe(980_000n);
    const fetched = await fetch(url, payment);
    expect(fetched.status).toBe(200);
    expect(fetched.headers.get('idempotent-replayed')).toBe('true');
    expect(await payer.balance()).toBe(980_000n);
  });

  it('are settled for a gateway that crashed after storing the answer', async () => {
    await leftUnknown();
    const { id } = await attempt();
    await sql.query(`UPDATE payment_attempt SET state = 'answer_stored', lease_until = now() WHERE id = $1`, [id]);
    facilitator.fault = 'none';
    expect(await ends()).toBe('settled');
    expect(await payer.balance()).toBe(980_000n);
  });

  it('are found on the chain if they succeeded without a gateway knowing', async () => {
    const payment = { headers: { 'payment-signature': await signPayment(payer, await fetch(url)) } };
    expect((await fetch(url, payment)).status).toBe(200);
    const { id } = await attempt();
    const before = await balanceOf(service.payTo);
    await sql.query(
      `UPDATE payment_attempt SET state = 'settling', settlement = NULL, lease_until = now() WHERE id = $1`,
      [id],
    );
    expect(await ends()).toBe('settled');
    expect(await balanceOf(service.payTo)).toBe(before);
    expect((await fetch(url, payment)).headers.get('payment-response')).not.toBeNull();
  });

  it('are given up only after the authorization expired unused, and the buyer gets an error', async () => {
    const payment = await leftUnknown();
    expect(await reconcileLater()).toMatchObject({ failed: 1, settled: 0 });
    expect(await attempt()).toMatchObject({ state: 'settle_failed', reason: 'authorization_expired' });
    const told = await fetch(url, payment);
    expect(told.status).toBe(402);
    expect(await told.json()).toMatchObject({ code: 'authorization_expired' });
    expect(await payer.balance()).toBe(1_000_000n);
  });

  it("are not given up while the node's newest block is older than the authorization", async () => {
    await leftUnknown();
    expect(await reconcileLater(chain, 30)).toBeUndefined();
    expect(await attempt()).toMatchObject({ state: 'settle_unknown' });
    facilitator.fault = 'none';
    expect(await ends()).toBe('settled');
  });

  it('are closed uncharged if a gateway crashed before there was an answer and the authorization expired', async () => {
    await leftUnknown();
    const { id } = await attempt();
    await sql.query(`UPDATE payment_attempt SET state = 'working', answer = NULL, lease_until = now() WHERE id = $1`, [
      id,
    ]);
    expect(await reconcileLater()).toMatchObject({ expired: 1 });
    expect(await attempt()).toMatchObject({ state: 'work_failed', reason: 'authorization_expired' });
    expect(await payer.balance()).toBe(1_000_000n);
  });

  it('are processed by one gateway at a time', async () => {
    const [one, two] = [
      new Database(service.config.database.url, service.config.database),
      new Database(service.config.database.url, service.config.database),
    ];
    const lock = 7_402_999;
    let others: boolean | undefined;
    const mine = await one.exclusively(lock, async () => {
      others = await two.exclusively(lock, () => Promise.resolve());
    });
    expect([mine, others]).toEqual([true, false]);
    expect(await two.exclusively(lock, () => Promise.resolve())).toBe(true);
    await Promise.all([one.close(), two.close()]);
  });
});
