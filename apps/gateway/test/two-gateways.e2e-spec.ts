import { startTwoGateways, type TwoGateways } from '../../../test/support/chaos/two-gateways';
import { balanceOf, newPayer, signPayment } from '../../../test/support/payer';

const COPIES = 20;
const PATH = '/api/v1/hosts/shop.example.com/refresh';

describe('two gateways that sell for one account', () => {
  let both: TwoGateways;

  beforeAll(async () => {
    both = await startTwoGateways();
  });
  afterAll(() => both.stop());

  it('give twenty copies of one payment one probe, one transaction and twenty equal answers', async () => {
    const { fleet, shop, facilitator, database, payTo } = both;
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
