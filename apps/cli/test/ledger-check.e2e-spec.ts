import { Client } from 'pg';
import { chainClient } from '../../standalone/src/embedded/embedded-chain';
import { mintUsdc } from '../../standalone/src/embedded/usdc-contract';
import { runLedger } from '../../../test/support/ledger';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { stack } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

const SALES = 3;
const TABLES = ['payment_attempt', 'payment_event'] as const;

describe('npm run ledger -- check', () => {
  let service: Service;
  let shop: TestHost;
  let database: Client;
  let ids: readonly string[];

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
    });
    const payer = await newPayer();
    for (let sale = 0; sale < SALES; sale += 1) {
      const bought = await payer.fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com/protocols/llms/refresh`);
      expect(bought.status).toBe(200);
    }
    // A running gateway would correct the damaged rows itself before the check.
    await service.stop();
    database = new Client({ connectionString: service.config.database.url });
    await database.connect();
    // Triggers are off, as only somebody with full rights could do.
    await database.query('SET session_replication_role = replica');
    const { rows } = await database.query<{ id: string }>('SELECT id FROM payment_attempt ORDER BY created_at');
    ids = rows.map(({ id }) => id);
  });
  afterAll(async () => {
    await database.end();
    await shop.close();
  });

  const ledger = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runLedger(args, {
      DATABASE_URL: service.config.database.url,
      X402_PAY_TO: service.payTo,
      RPC_URL_8453: stack().rpcUrl,
      ...env,
    });

  /** Runs the check on a ledger that `damage` changed, then restores the ledger. */
  async function checkAfter(damage: string) {
    for (const table of TABLES) await database.query(`CREATE TABLE kept_${table} AS TABLE ${table}`);
    try {
      await database.query(damage, [ids[1]]);
      return await ledger(['check']);
    } finally {
      for (const table of TABLES) {
        await database.query(`DELETE FROM ${table}`);
        await database.query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
        await database.query(`DROP TABLE kept_${table}`);
      }
    }
  }

  it('finds no difference after honest sales and ends with 0', async () => {
    const { code, said } = await ledger(['check']);
    expect(said).toContain('chain    0.015 USDC, 3 in transfers');
    expect(said).toContain('ledger   0.015 USDC, 3 in settled attempts');
    expect(said).toContain('answers  3 stored');
    expect(said).toContain('no differences');
    expect(code).toBe(0);
  });

  it('compares only the given blocks', async () => {
    const client = chainClient(stack().rpcUrl, 8453);
    const { rows } = await database.query<{ tx: `0x${string}` }>(
      `SELECT settlement->>'transaction' AS tx FROM payment_attempt ORDER BY created_at`,
    );
    const { blockNumber } = await client.getTransactionReceipt({ hash: rows[1]!.tx });
    const middle = await ledger(['check', '--from-block', String(blockNumber), '--to-block', String(blockNumber)]);
    expect(middle.said).toContain('ledger   0.005 USDC, 1 in settled attempts');
    expect(middle.code).toBe(0);
    const head = await client.getBlockNumber();
    expect((await ledger(['check', '--from-block', String(head + 9n)])).code).toBe(2);
  });

  it.each([
    [
      'settled_without_transfer',
      `UPDATE payment_attempt SET nonce = '0x' || repeat('0', 64),
         settlement = jsonb_set(settlement::jsonb, '{transaction}', to_jsonb('0x' || repeat('1', 64))) WHERE id = $1`,
    ],
    ['transfer_without_settlement', `UPDATE payment_attempt SET state = 'settle_failed' WHERE id = $1`],
    ['transfer_without_settlement', `DELETE FROM payment_attempt WHERE id = $1`],
    ['settled_without_answer', `UPDATE payment_attempt SET answer = NULL WHERE id = $1`],
    ['amount_mismatch', `UPDATE payment_attempt SET amount = 5001 WHERE id = $1`],
    ['payer_mismatch', `UPDATE payment_attempt SET payer = '0x' || repeat('2', 40) WHERE id = $1`],
    [
      'transaction_mismatch',
      `UPDATE payment_attempt
       SET settlement = jsonb_set(settlement::jsonb, '{transaction}', to_jsonb('0x' || repeat('1', 64))) WHERE id = $1`,
    ],
    [
      'settled_twice',
      `INSERT INTO payment_event SELECT attempt_id, seq + 1, state, reason, at FROM payment_event
       WHERE attempt_id = $1 AND state = 'settled'`,
    ],
    [
      'settled_twice',
      `INSERT INTO payment_attempt SELECT (jsonb_populate_record(a,
         jsonb_build_object('id', gen_random_uuid(), 'nonce', upper(a.nonce)))).* FROM payment_attempt a WHERE id = $1`,
    ],
  ])('reports %s in a damaged ledger and ends with 1', async (kind, damage) => {
    const { code, said } = await checkAfter(damage);
    expect(said).toMatch(new RegExp(`^ {2}${kind} {2}`, 'm'));
    expect(code).toBe(1);
  });

  it('reports the transfer of an unsettled attempt as open', async () => {
    const { code, said } = await checkAfter(
      `UPDATE payment_attempt SET state = 'settle_unknown', lease_until = now() + interval '1 hour' WHERE id = $1`,
    );
    expect(said).toContain('open     1 attempts, 1 of them already transferred on the chain');
    expect(said).toContain('no differences');
    expect(code).toBe(0);
  });

  it('ends with 2 and a sentence when it cannot check', async () => {
    expect((await ledger(['check'], { RPC_URL_8453: 'http://127.0.0.1:1' })).code).toBe(2);
    expect(await ledger(['repair'])).toMatchObject({
      code: 2,
      said: expect.stringContaining('Unknown command "repair"'),
    });
    const unsold = await ledger(['check'], { X402_PAY_TO: '' });
    expect(unsold).toMatchObject({ code: 2, said: expect.stringContaining('X402_PAY_TO') });
  });

  it('reports money that was transferred by hand', async () => {
    await mintUsdc(chainClient(stack().rpcUrl, 8453), service.payTo, 7n);
    const { code, said } = await ledger(['check']);
    expect(said).toContain('without an authorization');
    expect(code).toBe(1);
  });
});
