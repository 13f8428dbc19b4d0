import { randomUUID } from 'node:crypto';
import { WebhookKeys } from '@app/owners';
import { Database, DeliveryRepository, type Attempted } from '@app/storage';
import { createSender } from '@app/probing';
import { freshDatabase } from '../../../test/support/stack';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { putAlert, putWatch } from '../../../test/support/watches';
import { attempt, type AttemptDeps } from '../src/schedule/attempt';

/** When an alert is tried that no attempt delivers, in seconds after the attempt before. */
const SECONDS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
const WATCHES = 8;
/** What the test itself takes from one step to the next on a machine that is busy with other things, in seconds. */
const OWN_SEC = 30;

describe('an alert that no receiver takes', () => {
  let database: Database;
  let deliveries: DeliveryRepository;
  let receiver: TestHost;
  let deps: AttemptDeps & { readonly sender: { close(): void } };
  /** Seconds that were let pass: the times in rows came nearer by as much. */
  let passed = 0;
  const clock = (): number => passed + performance.now() / 1_000;

  beforeAll(async () => {
    database = new Database(await freshDatabase(), { secretsKeys: ['of this test only'] });
    deliveries = new DeliveryRepository(database);
    receiver = await startTestHost({ '*': says('no', {}, 500) });
    const connectTo = receiver.as('hooks.example.com');
    const sender = createSender({ userAgent: 'hostprobe/test', caFile: await testCaFile(), connectTo });
    deps = { sender, keys: [new WebhookKeys(randomUUID())], baseUrl: 'https://probe.example.com' };
  });
  afterAll(async () => {
    deps.sender.close();
    await Promise.all([database.close(), receiver.close()]);
  });

  async function pass(seconds: number): Promise<void> {
    passed += seconds;
    for (const [table, times] of [
      ['alert_delivery', ['next_at', 'tried_at']],
      ['watch', ['paused_until', 'failing_since', 'created_at', 'ends_at']],
    ] as const) {
      const earlier = times.map((time) => `${time} = ${time} - $1 * interval '1 second'`);
      await database.pool.query(`UPDATE ${table} SET ${earlier.join(', ')}`, [seconds]);
    }
  }
  /** Seconds until something is due; undefined when nothing ever is. */
  const wait = async (): Promise<number | undefined> => {
    const { rows } = await database.pool.query<{ wait: number | null }>(
      `SELECT extract(epoch FROM min(greatest(d.next_at, w.paused_until)) - now())::float8 AS wait
       FROM alert_delivery d JOIN watch w ON w.id = d.watch_id WHERE d.state = 'due'`,
    );
    return rows[0]?.wait ?? undefined;
  };
  const due = async () => {
    const lanes = [false, true].map((failing) => deliveries.take({ most: 100, failing, running: {} }));
    return (await Promise.all(lanes)).flat();
  };

  it('is tried ten times, at the times of the schedule and 20 % off at most, and not again', async () => {
    const ids: string[] = [];
    for (let n = 0; n < WATCHES; n += 1) {
      ids.push(await putAlert(database, await putWatch(database, { site: `site-${n}.example` })));
    }
    const begun = clock();
    const times = new Map<string, number[]>(ids.map((id) => [id, []]));
    for (let next = await wait(); next !== undefined; next = await wait()) {
      if (next > 2 * OWN_SEC) {
        await pass(next - OWN_SEC);
        expect(await due()).toEqual([]); // not before
      } else await pass(Math.max(0, next));
      for (const taken of await due()) {
        times.get(taken.alert.id)!.push(clock());
        await deliveries.record(taken, (await attempt(deps, taken)) as Attempted);
      }
    }
    for (const [id, at] of times) {
      expect(receiver.received.filter(({ headers }) => headers['webhook-id'] === id)).toHaveLength(10);
      const waits = at.map((time, n) => time - (at[n - 1] ?? begun));
      expect(waits).toHaveLength(SECONDS.length);
      waits.forEach((seconds, n) => {
        expect(seconds).toBeGreaterThanOrEqual(SECONDS[n]! * 0.8);
        expect(seconds).toBeLessThanOrEqual(SECONDS[n]! * 1.2 + OWN_SEC);
      });
    }
    // What failed together does not come back together.
    expect(new Set([...times.values()].map((at) => Math.round(at[9]! / 60))).size).toBeGreaterThan(WATCHES / 2);
    const { rows } = await database.pool.query(
      `SELECT DISTINCT d.state, d.failures, w.state AS watch FROM alert_delivery d JOIN watch w ON w.id = d.watch_id`,
    );
    expect(rows).toEqual([{ state: 'exhausted', failures: 10, watch: 'active' }]);
    await pass(86_400);
    expect(await due()).toEqual([]);
  });
});
