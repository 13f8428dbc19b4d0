import type { ChildProcess } from 'node:child_process';
import { Client } from 'pg';
import { newPayer, signPayment } from '../../../test/support/payer';
import { kill, startApp } from '../../../test/support/processes';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

describe.each(backends())('a worker crash during a paid probe, with the queue on %s', (backend) => {
  let service: Service;
  let database: Client;
  let host: TestHost;
  /** Whether the host does not respond, so that a worker dies in the middle of a probe. */
  let holding = false;
  let env: Record<string, string>;
  const workers: ChildProcess[] = [];

  const startWorker = async (): Promise<ChildProcess> => {
    const worker = await startApp('worker', env);
    workers.push(worker);
    return worker;
  };
  const firstRequest = async (): Promise<void> => {
    const before = host.requests.length;
    await until('a request to the host', () => host.requests.length > before);
  };
  const refreshOf = (name: string): string => `${service.baseUrl}/api/v1/hosts/${name}.example.com/refresh`;

  beforeAll(async () => {
    host = await startTestHost({
      '*': (_request, response) => {
        if (!holding) response.writeHead(404).end();
      },
    });
    const connectTo = ['first', 'second'].map((name) => host.as(`${name}.example.com`));
    const caFile = await testCaFile();
    service = await startService({ backend, connectTo, caFile, worker: false });
    const { database: storage, redis, http } = service.config;
    database = new Client({ connectionString: storage.url });
    await database.connect();
    env = {
      DATABASE_URL: storage.url,
      ...(redis ? { REDIS_URL: redis.url } : {}),
      PUBLIC_BASE_URL: http.publicBaseUrl,
      PROBE_CONNECT_TO: connectTo.join(','),
      PROBE_CA_FILE: caFile,
    };
  });
  afterAll(async () => {
    await Promise.all(workers.map(kill));
    await database.end();
    await service.stop();
    await host.close();
  });

  it('requests no payment while no worker is running', async () => {
    const response = await fetch(refreshOf('first'));
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'no_worker' });
  });

  /** The worker waits for a lock in the transaction that stores the probe. */
  const halfStored = async (): Promise<void> => {
    await database.query(`SELECT pg_advisory_lock(1); CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
      CREATE TRIGGER waits AFTER INSERT ON host_day EXECUTE FUNCTION wait()`);
    await until('a probe that is being stored', async () => (await others()) === 1);
  };
  /** Nothing of the probe is stored. */
  const absent = async (): Promise<void> => {
    await database.query('SELECT pg_advisory_unlock(1)');
    await until('the end of its transaction', async () => (await others()) === 0);
    await database.query('DROP TRIGGER waits ON host_day');
    const { rows } = await database.query(
      `SELECT status, (SELECT count(*)::int FROM host JOIN evidence USING (domain) WHERE domain = run.domain) AS stored
       FROM probe_run AS run WHERE domain = 'second.example.com'`,
    );
    expect(rows).toEqual([{ status: 'running', stored: 0 }]);
  };
  /** Transactions of others that are or were waiting. */
  const others = async (): Promise<number | null> =>
    (
      await database.query(
        `SELECT FROM pg_locks JOIN pg_database ON oid = database AND datname = current_database()
         WHERE locktype = 'advisory' AND objid = 1 AND pid <> pg_backend_pid()`,
      )
    ).rowCount;

  const moments = [
    ['at the first request', 'first', firstRequest, async () => {}],
    ['between two SQL statements of its writes', 'second', halfStored, absent],
  ] as const;
  // Storing does not depend on the queue backend.
  it.each(backend === backends()[0] ? moments : moments.slice(0, 1))(
    '%s only costs time if another worker starts: the job runs again and the buyer pays once',
    async (_, name, moment, after) => {
      const doomed = workers.pop() ?? (await startWorker());
      const payer = await newPayer();
      const url = refreshOf(name);
      const payment = { headers: { 'payment-signature': await signPayment(payer, await fetch(url)) } };
      holding = moment === firstRequest;
      const asked = fetch(url, payment);
      await moment();
      await kill(doomed);
      holding = false;
      await after();
      await startWorker();
      const answer = await asked;
      if (answer.status !== 200) {
        // The second probe may end after the deadline: then nothing was charged, and the same payment works now.
        expect(answer.status).toBe(504);
        expect(await answer.json()).toMatchObject({ charged: false });
        expect(await payer.balance()).toBe(1_000_000n);
        expect((await fetch(url, payment)).status).toBe(200);
      }
      expect(await payer.balance()).toBe(980_000n);
    },
  );
});

describe('a probe that no worker finishes', () => {
  it('is answered 504 without a charge; the same payment buys it later', async () => {
    const host = await startTestHost({});
    const connectTo = [host.as('late.example.com')];
    const caFile = await testCaFile();
    const service = await startService({
      connectTo,
      caFile,
      worker: false,
      env: { REFRESH_DEADLINE_SEC: '5' },
    });
    const env = {
      DATABASE_URL: service.config.database.url,
      PROBE_CONNECT_TO: connectTo.join(','),
      PROBE_CA_FILE: caFile,
    };
    const doomed = await startApp('worker', env);
    await service.admitted();
    const payer = await newPayer();
    const url = `${service.baseUrl}/api/v1/hosts/late.example.com/refresh`;
    const payment = { headers: { 'payment-signature': await signPayment(payer, await fetch(url)) } };
    await kill(doomed); // The gateway considers the worker alive for ten more seconds.
    const late = await fetch(url, payment);
    expect(late.status).toBe(504);
    expect(await late.json()).toMatchObject({ code: 'probe_timeout', charged: false });
    expect(await payer.balance()).toBe(1_000_000n);
    const worker = await startApp('worker', env);
    await service.admitted();
    expect((await fetch(url, payment)).status).toBe(200);
    expect(await payer.balance()).toBe(980_000n);
    await kill(worker);
    await service.stop();
    await host.close();
  });
});
