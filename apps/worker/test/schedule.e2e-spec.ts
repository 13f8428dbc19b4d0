import { setTimeout as delay } from 'node:timers/promises';
import { openLimitStore, TargetBudgets } from '@app/limits';
import { Database } from '@app/persistence';
import { queueConnection, SCHEDULE_QUEUE } from '@app/queue';
import { HostName, neverProbed, renderFacts } from '@app/reports';
import { createPostgresBackend, Queue, withBackend } from 'bullmq';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';

interface Known {
  readonly seen: string;
  readonly reachable?: boolean;
}

/** Hosts as earlier looks left them; each with the age of the last. */
const HOSTS: Readonly<Record<string, Known>> = {
  'yesterday.example.com': { seen: '25 hours' },
  'today.example.com': { seen: '23 hours' },
  'silent.example.com': { seen: '2 days', reachable: false },
  'long-silent.example.com': { seen: '8 days', reachable: false },
  'shy.example.com': { seen: '3 days' },
  'opted-out.example.com': { seen: '3 days' },
  'busy.example.com': { seen: '3 days' },
};

async function remember(database: Database, domain: string, { seen, reachable = true }: Known): Promise<void> {
  const host = HostName.parse(domain);
  if (!host.ok) throw new Error(domain);
  await database.pool.query(
    `INSERT INTO host (domain, site, version, facts, probed_at, reachable, updated_at)
     VALUES ($1, 'example.com', 1, $2, now() - $3::interval, $4, now() - $3::interval)`,
    [domain, renderFacts(neverProbed(host.host)), seen, reachable],
  );
}

async function rememberRun(database: Database, id: number, age: string): Promise<void> {
  await database.pool.query(
    `INSERT INTO probe_run (id, kind, domain, subject, status, created_at, deadline_at)
     VALUES ($1, 'host', 'old.example.com', 'old.example.com', 'done', now() - $2::interval, now() - $2::interval)`,
    [`00000000-0000-4000-8000-00000000000${id}`, age],
  );
}

describe.each(backends())('what workers do by the clock, with the queue on %s', (backend) => {
  let service: Service;
  let database: Database;
  let shop: TestHost;
  let shy: TestHost;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    shy = await startTestHost({ '/robots.txt': says('User-agent: hostprobe\nDisallow: /\n') });
    service = await startService({
      backend,
      worker: false,
      connectTo: Object.keys(HOSTS).map((name) => (name.startsWith('shy') ? shy : shop).as(name)),
      caFile: await testCaFile(),
      env: { OPT_OUT: 'opted-out.example.com', TARGET_PROBES_PER_15_MIN: '1', RETENTION_DAYS: '7' },
    });
    database = new Database(service.config.database.url);
    for (const [domain, known] of Object.entries(HOSTS)) await remember(database, domain, known);
    await rememberRun(database, 1, '8 days');
    await rememberRun(database, 2, '6 days');
    await database.pool.query(
      `INSERT INTO worker_pulse VALUES ('00000000-0000-4000-8000-000000000009', 20, now() - interval '2 days')`,
    );
    const limits = openLimitStore({ redisUrl: service.config.redis?.url ?? null, pool: database.pool });
    await new TargetBudgets(limits, service.config.targets).beginLook('busy.example.com');
    await Promise.all([service.startWorker(), service.startWorker(), service.startWorker()]);
    await until(async () => (await looks()).every(({ status }) => status === 'done' || status === 'failed'), 5);
    limits.close();
  });
  afterAll(async () => {
    await service.stop();
    await database.close();
    await Promise.all([shop.close(), shy.close()]);
  });

  /** Free looks so far, by name. */
  const looks = async () => {
    const { rows } = await database.pool.query<{ domain: string; status: string; failure: string | null }>(
      `SELECT domain, status, failure FROM probe_run WHERE kind = 'presence' ORDER BY domain`,
    );
    return rows;
  };

  /** Waits for as many looks as there are hosts due, and for what is asked of them. */
  async function until(holds: () => Promise<boolean>, count: number): Promise<void> {
    while ((await looks()).length < count || !(await holds())) await delay(50);
  }

  it('looks once at every known host that was not seen for a day, however many workers there are', async () => {
    expect(await looks()).toEqual([
      { domain: 'busy.example.com', status: 'failed', failure: 'target_busy' },
      { domain: 'long-silent.example.com', status: 'done', failure: null },
      { domain: 'opted-out.example.com', status: 'failed', failure: 'opted_out' },
      { domain: 'shy.example.com', status: 'done', failure: null },
      { domain: 'yesterday.example.com', status: 'done', failure: null },
    ]);
    const asked = shop.received.filter(({ url }) => url === '/llms.txt').map(({ headers }) => headers.host);
    expect(asked.toSorted()).toEqual(['long-silent.example.com', 'yesterday.example.com']);
  });

  it('leaves a report behind that is fresh', async () => {
    const report = await (await fetch(`${service.baseUrl}/api/v1/hosts/yesterday.example.com`)).json();
    expect(report).toMatchObject({ reachable: true, cache: { presenceStale: false, callabilityStale: true } });
  });

  it('stays away from a host whose robots.txt names us', () => {
    expect(shy.requests).toEqual(['GET /robots.txt']);
  });

  it('forgets old looks and dead workers, and nothing younger', async () => {
    await until(async () => !(await ids('probe_run')).includes('00000000-0000-4000-8000-000000000001'), 0);
    expect(await ids('probe_run')).toContain('00000000-0000-4000-8000-000000000002');
    await until(async () => !(await ids('worker_pulse')).includes('00000000-0000-4000-8000-000000000009'), 0);
    expect(await ids('worker_pulse')).toHaveLength(3);
  });

  it('takes the looks off the schedule when they are switched off', async () => {
    const connection = queueConnection(service.config.redis?.url ?? null, service.config.database.url);
    const queue =
      connection.backend === 'redis'
        ? new Queue(SCHEDULE_QUEUE, { connection: { url: connection.url } })
        : new (withBackend(createPostgresBackend).Queue)(SCHEDULE_QUEUE, {
            connection: { connectionString: connection.url, schema: 'bullmq' },
          });
    const scheduled = async () => (await queue.getJobSchedulers()).map(({ key }) => key).toSorted();
    expect(await scheduled()).toEqual(['presence', 'retention']);
    await service.startWorker({ SCHEDULED_LOOKS_PER_MIN: '0' });
    expect(await scheduled()).toEqual(['retention']);
    await queue.close();
  });

  async function ids(table: 'probe_run' | 'worker_pulse'): Promise<readonly string[]> {
    const { rows } = await database.pool.query<{ id: string }>(`SELECT id FROM ${table}`);
    return rows.map(({ id }) => id);
  }
});
