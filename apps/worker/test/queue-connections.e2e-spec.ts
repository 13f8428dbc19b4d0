import { Client } from 'pg';
import { createConsumer, createProducer, keepSchedule, PROBE_QUEUES } from '@app/queue';
import { PoolShare } from '../../../libs/queue/src/postgres-pool';
import { freshDatabase } from '../../../test/support/stack';
import { startTcpFront } from '../../../test/support/tcp-front';
import { until } from '../../../test/support/until';

/** Four connections shared by the queues of a process, and one for each of the four queues that a worker consumes. */
const MOST = 4 + 4;
const JOBS = 60;

describe('the queues of a worker, kept on Postgres', () => {
  it('use at most eight connections, for any number of jobs', async () => {
    const url = await freshDatabase();
    const watcher = new Client({ connectionString: url });
    await watcher.connect();
    const connections = async (): Promise<number> => {
      const { rows } = await watcher.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      );
      return rows[0]!.count;
    };
    const connection = { backend: 'postgres', url } as const;
    const errors: Error[] = [];
    const onError = (error: Error): void => void errors.push(error);
    const seen = { probes: 0, rounds: 0, connections: 0 };
    const count = (what: 'probes' | 'rounds') => (): Promise<void> => {
      seen[what] += 1;
      return Promise.resolve();
    };
    const schedule = await keepSchedule(connection, { round: { everyMs: 60_000, run: count('rounds') } }, onError);
    const probes = { concurrency: 20, process: count('probes'), onError };
    const consumers = await Promise.all(PROBE_QUEUES.map((queue) => createConsumer(connection, queue, probes)));
    const producers = PROBE_QUEUES.map((queue) => createProducer(connection, queue, onError));
    const numbers = Array.from({ length: JOBS }, (_, number) => number);
    const hosts = numbers.map((number) => ({ day: '2026-11-23', domain: `h${number}.example.com` }));
    const added = Promise.all(
      producers.flatMap((producer) => [
        producer.addCensus(hosts),
        ...numbers.map((number) => producer.add('probe', { runId: `run ${number}` })),
      ]),
    );
    await until('every job is done', async () => {
      seen.connections = Math.max(seen.connections, await connections());
      return seen.probes === 2 * PROBE_QUEUES.length * JOBS && seen.rounds > 0;
    });
    await added;
    for (const part of [schedule, ...consumers, ...producers]) await part.close();
    for (const queue of PROBE_QUEUES) await createProducer(connection, queue, onError).close();
    // Less than the idle timeout of connections.
    await until('no connection is left', async () => (await connections()) === 0, 5_000);
    await watcher.end();
    expect(errors).toEqual([]);
    expect(seen.connections).toBeGreaterThan(4);
    expect(seen.connections).toBeLessThanOrEqual(MOST);
  });

  it('keep working if another one is closed twice', async () => {
    const connection = { backend: 'postgres', url: await freshDatabase() } as const;
    const errors: Error[] = [];
    const onError = (error: Error): void => void errors.push(error);
    const [one, other] = [createProducer(connection, 'live', onError), createProducer(connection, 'live', onError)];
    await one.close();
    await one.close();
    await other.add('probe', { runId: 'a run' });
    await other.close();
    expect(errors).toEqual([]);
  });

  it('only fail a statement if a connection in use breaks', async () => {
    const url = new URL(await freshDatabase());
    const line = await startTcpFront(Number(url.port));
    url.port = String(line.port);
    const share = new PoolShare(url.href);
    const inUse = await share.connect();
    const ended = new Promise<void>((resolve) =>
      inUse.on('end', () => {
        resolve();
      }),
    );
    line.state = 'cut'; // An error event without a listener would end the process.
    await ended;
    await expect(inUse.query('SELECT 1')).rejects.toThrow();
    inUse.release(true);
    await share.end();
    await line.close();
  });
});
