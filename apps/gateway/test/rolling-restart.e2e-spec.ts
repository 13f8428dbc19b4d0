import { Client } from 'pg';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { Balancer } from '../../../test/support/balancer';
import { Fleet, fleetEnv } from '../../../test/support/chaos/fleet';
import { runLedger } from '../../../test/support/ledger';
import { balanceOf, newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { backends, stack } from '../../../test/support/stack';
import { startTestHost, type TestHost } from '../../../test/support/test-host';

const BUYERS = 6;
const ANSWER_MS = 30;
const PURSE = 100_000_000n;
const PRICE = 20_000n;

describe('replacing two gateways and two workers one after the other', () => {
  const payTo = privateKeyToAddress(generatePrivateKey());
  let host: TestHost;
  let fleet: Fleet;
  let balancer: Balancer;
  let env: Awaited<ReturnType<typeof fleetEnv>>;

  beforeAll(async () => {
    host = await startTestHost({
      '*': (_request, response) => setTimeout(() => response.writeHead(404).end(), ANSWER_MS),
    });
    const connectTo = Array.from({ length: BUYERS }, (_, at) => host.as(`h${at}.example.com`));
    env = await fleetEnv(backends()[0]!, { payTo, facilitatorUrl: stack().facilitatorUrl, connectTo });
    // Load balancers check every tenth of a second; on a busy machine some checks are late.
    fleet = await Fleet.start({ ...env, SHUTDOWN_DRAIN_SEC: '5', LOG_LEVEL: process.env['E2E_LOG'] ?? 'error' });
    balancer = new Balancer(fleet.gateways);
    await balancer.start();
  });
  afterAll(async () => {
    await balancer.stop();
    await fleet.stop();
    await host.close();
  });

  it('fails no paid refresh and charges none twice', async () => {
    const payers = await Promise.all(Array.from({ length: BUYERS }, () => newPayer(PURSE)));
    const answers: number[] = [];
    let renewed = false;
    const buyOn = async (payer: Payer, path: string): Promise<void> => {
      while (!renewed) {
        const payment = await signPayment(payer, await balancer.fetch(path));
        const answer = await balancer.fetch(path, { headers: { 'payment-signature': payment } });
        await answer.text();
        answers.push(answer.status);
      }
    };
    const bought = Promise.all(payers.map((payer, at) => buyOn(payer, `/api/v1/hosts/h${at}.example.com/refresh`)));
    const ends = await Promise.race([fleet.renew(), bought.then(() => Promise.reject(new Error('buyers gave up')))]);
    renewed = true;
    await bought;

    // Each finished its work and exited by itself; none was killed.
    expect(ends).toEqual([0, 0, 0, 0]);
    expect(answers.length).toBeGreaterThan(BUYERS * 4); // Purchases were made during each of the four restarts.
    expect(answers.filter((status) => status !== 200)).toEqual([]);
    expect(await balanceOf(payTo)).toBe(BigInt(answers.length) * PRICE);
    expect(await statesOf(env.DATABASE_URL)).toEqual([{ state: 'settled', count: answers.length }]);
    const ledger = await runLedger(['check'], env);
    expect(ledger.said).toContain('no difference');
    expect(ledger.code).toBe(0);
  });
});

async function statesOf(databaseUrl: string): Promise<unknown> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const { rows } = await database.query(
    'SELECT state, count(*)::int AS count FROM payment_attempt GROUP BY state ORDER BY state',
  );
  await database.end();
  return rows;
}
