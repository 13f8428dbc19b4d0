import { Client } from 'pg';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { Fleet, fleetEnv } from '../../../test/support/chaos/fleet';
import { startFaultyFacilitator, type FaultyFacilitator } from '../../../test/support/facilitator';
import { balanceOf, newPayer, signPayment } from '../../../test/support/payer';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

const COPIES = 20;
const PATH = '/api/v1/hosts/shop.example.com/refresh';

describe('two gateways that sell for one account', () => {
  const payTo = privateKeyToAddress(generatePrivateKey());
  let facilitator: FaultyFacilitator;
  let shop: TestHost;
  let fleet: Fleet;
  let database: Client;

  beforeAll(async () => {
    facilitator = await startFaultyFacilitator();
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    const terms = { payTo, facilitatorUrl: facilitator.url, connectTo: [shop.as('shop.example.com')] };
    const env = await fleetEnv(backends()[0]!, terms);
    fleet = await Fleet.start(env);
    database = new Client({ connectionString: env.DATABASE_URL });
    await database.connect();
  });
  afterAll(async () => {
    await fleet.stop();
    await database.end();
    await Promise.all([shop.close(), facilitator.close()]);
  });

  it('give twenty copies of one payment one look, one transaction and twenty equal answers', async () => {
    const payer = await newPayer();
    const challenge = await fetch(`${fleet.gateways[0]!}${PATH}`);
    const headers = { 'payment-signature': await signPayment(payer, challenge) };
    const answers = await Promise.all(
      Array.from({ length: COPIES }, (_, copy) => fetch(`${fleet.gateways[copy % 2]!}${PATH}`, { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: COPIES }, () => 200));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.headers.get('payment-response'))).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(shop.requests.filter((request) => request === 'GET /llms.txt')).toHaveLength(1);
    expect(facilitator.settlements()).toBe(1);
    const { rows } = await database.query<{ state: string }>('SELECT state FROM payment_event ORDER BY seq');
    const once = ['received', 'verified', 'working', 'answer_stored', 'settling', 'settled'];
    expect(rows.map(({ state }) => state)).toEqual(once);
    expect(await payer.balance()).toBe(980_000n);
    expect(await balanceOf(payTo)).toBe(20_000n);
  });
});
