import { setTimeout as delay } from 'node:timers/promises';
import { openLimitStore, TargetBudgets } from '@app/limits';
import { Database } from '@app/storage';
import { queueConnection, SCHEDULE_QUEUE } from '@app/queue';
import { HostName } from '@app/hosts';
import { neverProbed, renderFacts } from '@app/reports';
import { createPostgresBackend, Queue, withBackend } from 'bullmq';
import { startBucket, type TestBucket } from '../../../test/support/bucket';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { putWatch } from '../../../test/support/watches';

interface Known {
  readonly seen: string;
  readonly reachable?: boolean;
  /** Somebody watches it. */
  readonly watched?: true;
}

/** Hosts after earlier full probes, with the age of the last one. */
const HOSTS: Readonly<Record<string, Known>> = {
  'yesterday.example.com': { seen: '25 hours' },
  'today.example.com': { seen: '23 hours' },
  'silent.example.com': { seen: '2 days', reachable: false },
  'long-silent.example.com': { seen: '8 days', reachable: false },
  'shy.example.com': { seen: '3 days' },
  'opted-out.example.com': { seen: '3 days' },
  'busy.example.com': { seen: '3 days' },
  'watched.example.com': { seen: '6 hours 1 minute', watched: true },
  'watched-lately.example.com': { seen: '5 hours 30 minutes', watched: true },
  'shy-watched.example.com': { seen: '7 hours', watched: true },
  'busy-watched.example.com': { seen: '7 hours', watched: true },
  // These have a running probe that no key can decrypt: they come first in their queues, and cannot be started.
  'broken.example.com': { seen: '9 days' },
  'broken-watched.example.com': { seen: '9 hours', watched: true },
};

const OPTED_OUT_WITH_EVIDENCE = [
  'opted-out.example.com',
  'below.opted-out.example.com',
  'gone.example.net',
  'listed.example.org',
];

async function remember(database: Database, domain: string, { seen, reachable = true, watched }: Known): Promise<void> {
  if (watched) await putWatch(database, { domain });
  const host = HostName.parse(domain);
  if (!host.ok) throw new Error(domain);
  await database.pool.query(
    `INSERT INTO host (domain, site, version, facts, probed_at, callability_probed_at, reachable, updated_at)
     VALUES ($1, 'example.com', 1, $2, now() - $3::interval, now() - $3::interval, $4, now() - $3::interval)`,
    [domain, renderFacts(neverProbed(host.host)), seen, reachable],
  );
}

async function rememberEvidence(database: Database, domain: string): Promise<void> {
  await database.pool.query(
    `WITH named AS (INSERT INTO evidence (root, domain, lines, bodies, at) VALUES ($1, $1, '', '{b}', now()))
     INSERT INTO evidence_body VALUES ($1, 'b', '', false)`,
    [domain],
  );
}

async function rememberRun(database: Database, id: number, age: string): Promise<void> {
  await database.pool.query(
    `INSERT INTO probe_run (id, kind, domain, subject, status, created_at, deadline_at)
     VALUES ($1, 'host', 'old.example.com', 'old.example.com', 'done', now() - $2::interval, now() - $2::interval)`,
    [`00000000-0000-4000-8000-00000000000${id}`, age],
  );
}

async function rememberBrokenRun(database: Database, kind: 'presence' | 'watch', domain: string): Promise<void> {
  await database.pool.query(
    `INSERT INTO probe_run (id, kind, domain, args, subject, status, created_at, deadline_at)
     VALUES (gen_random_uuid(), 'host', $2, '{"sealed":"sealed:AAAA"}', $1 || ' ' || $2, 'queued', now() - interval '2 days', now() + interval '1 day')`,
    [kind, domain],
  );
}

describe.each(backends())('the schedule of workers, with the queue on %s', (backend) => {
  let service: Service;
  let database: Database;
  let shop: TestHost;
  let shy: TestHost;
  let bucket: TestBucket;

  beforeAll(async () => {
    bucket = await startBucket();
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    shy = await startTestHost({ '/robots.txt': says('User-agent: hostprobe\nDisallow: /\n') });
    service = await startService({
      backend,
      worker: false,
      connectTo: Object.keys(HOSTS).map((name) => (name.startsWith('shy') ? shy : shop).as(name)),
      env: {
        OPT_OUT: 'opted-out.example.com, www.gone.example.net',
        TARGET_PROBES_PER_15_MIN: '2',
        RETENTION_DAYS: '7',
        ...bucket.env,
      },
    });
    database = new Database(service.config.database.url, service.config.database);
    for (const [domain, known] of Object.entries(HOSTS)) await remember(database, domain, known);
    await database.pool.query(`INSERT INTO opt_out (domain) VALUES ('listed.example.org')`);
    for (const domain of OPTED_OUT_WITH_EVIDENCE) await rememberEvidence(database, domain);
    await rememberEvidence(database, 'today.example.com');
    await rememberBrokenRun(database, 'presence', 'broken.example.com');
    await rememberBrokenRun(database, 'watch', 'broken-watched.example.com');
    await rememberRun(database, 1, '8 days');
    await rememberRun(database, 2, '6 days');
    await database.pool.query(
      `INSERT INTO worker_pulse VALUES ('00000000-0000-4000-8000-000000000009', 20, now() - interval '2 days')`,
    );
    await database.pool.query(
      `INSERT INTO orphaned_object VALUES ('due', now()), ('later', now() + interval '1 hour')`,
    );
    const limits = openLimitStore({ redisUrl: service.config.redis?.url ?? null, pool: database.pool });
    const budgets = new TargetBudgets(limits, service.config.targets);
    for (const host of ['busy.example.com', 'busy-watched.example.com'])
      for (let probes = 0; probes < 2; probes += 1) await budgets.begin({ host, site: 'example.com' }, 'paid');
    await Promise.all([service.startWorker(), service.startWorker(), service.startWorker()]);
    await until(async () => (await probes()).every(({ status }) => status === 'done' || status === 'failed'), 5);
    limits.close();
  });
  afterAll(async () => {
    await service.stop();
    await database.close();
    await Promise.all([shop.close(), shy.close(), bucket.close()]);
  });

  /** The number of free probes of known hosts, or of watched ones, so far, by name. */
  const probes = async (kind: 'presence' | 'watch' = 'presence') => {
    const { rows } = await database.pool.query<{ domain: string; status: string; failure: string | null }>(
      'SELECT domain, status, failure FROM probe_run WHERE kind = $1 ORDER BY domain',
      [kind],
    );
    return rows;
  };

  /** Waits for as many probes as there are due hosts, and for the condition. */
  async function until(holds: () => Promise<boolean>, count: number): Promise<void> {
    while ((await probes()).length < count || !(await holds())) await delay(50);
  }

  it('probes every known host once after a day, with any number of workers', async () => {
    expect(await probes()).toEqual([
      { domain: 'busy.example.com', status: 'failed', failure: 'target_busy' },
      { domain: 'long-silent.example.com', status: 'done', failure: null },
      { domain: 'opted-out.example.com', status: 'failed', failure: 'opted_out' },
      { domain: 'shy.example.com', status: 'done', failure: null },
      { domain: 'yesterday.example.com', status: 'done', failure: null },
    ]);
    const asked = shop.received.filter(({ url }) => url === '/llms.txt').map(({ headers }) => headers.host);
    const known = asked.filter((name) => name !== 'watched.example.com');
    expect(known.toSorted()).toEqual(['long-silent.example.com', 'yesterday.example.com']);
  });

  it('stores a fresh report', async () => {
    const report = await (await fetch(`${service.baseUrl}/api/v1/hosts/yesterday.example.com`)).json();
    expect(report).toMatchObject({ reachable: true, cache: { presenceStale: false, callabilityStale: true } });
  });

  it('fully probes watched hosts once after six hours, within their budgets', async () => {
    const done = async () => (await probes('watch')).every(({ status }) => status === 'done' || status === 'failed');
    await until(async () => (await probes('watch')).length === 3 && (await done()), 0);
    expect(await probes('watch')).toEqual([
      { domain: 'busy-watched.example.com', status: 'failed', failure: 'target_busy' },
      { domain: 'shy-watched.example.com', status: 'done', failure: null },
      { domain: 'watched.example.com', status: 'done', failure: null },
    ]);
    const hosts = shop.received.map(({ headers }) => headers.host);
    expect(hosts).not.toContain('watched-lately.example.com');
    expect(hosts).not.toContain('busy-watched.example.com');
    const report = await (await fetch(`${service.baseUrl}/api/v1/hosts/watched.example.com`)).json();
    expect(report).toMatchObject({ cache: { presenceStale: false, callabilityStale: false } });
  });

  it('does not probe a host whose robots.txt disallows us', () => {
    expect(shy.received.map(({ headers, url }) => `${headers.host} ${url}`).toSorted()).toEqual([
      'shy-watched.example.com /robots.txt',
      'shy.example.com /robots.txt',
    ]);
  });

  it('deletes old runs and dead workers only', async () => {
    await until(async () => !(await ids('probe_run')).includes('00000000-0000-4000-8000-000000000001'), 0);
    expect(await ids('probe_run')).toContain('00000000-0000-4000-8000-000000000002');
    await until(async () => !(await ids('worker_pulse')).includes('00000000-0000-4000-8000-000000000009'), 0);
    expect(await ids('worker_pulse')).toHaveLength(3);
  });

  it('removes the stored documents of hosts that opted out, listed or configured, and no others', async () => {
    const evidence = async () => {
      const { rows } = await database.pool.query<{ domain: string }>('SELECT domain FROM evidence_body');
      return rows.map(({ domain }) => domain);
    };
    const left = async () => (await evidence()).some((domain) => OPTED_OUT_WITH_EVIDENCE.includes(domain));
    await until(async () => !(await left()), 0);
    expect(await evidence()).toContain('today.example.com');
  });

  it('removes objects of deleted evidence from the bucket, and none that a probe may still refer to', async () => {
    const strays = async () =>
      (await database.pool.query<{ object: string }>('SELECT object FROM orphaned_object')).rows;
    await until(async () => !(await strays()).some(({ object }) => object === 'due'), 0);
    expect(await strays()).toContainEqual({ object: 'later' });
  });

  it('removes the probes from the schedule if they are disabled', async () => {
    const connection = queueConnection(service.config.redis?.url ?? null, service.config.database.url);
    const queue =
      connection.backend === 'redis'
        ? new Queue(SCHEDULE_QUEUE, { connection: { url: connection.url } })
        : new (withBackend(createPostgresBackend).Queue)(SCHEDULE_QUEUE, {
            connection: { connectionString: connection.url, schema: 'bullmq' },
          });
    const scheduled = async () => (await queue.getJobSchedulers()).map(({ key }) => key).toSorted();
    expect(await scheduled()).toEqual(['census', 'claims', 'presence', 'retention', 'watches']);
    await service.startWorker({ SCHEDULED_PROBES_PER_MIN: '0' });
    expect(await scheduled()).toEqual(['census', 'claims', 'retention', 'watches']);
    await queue.close();
  });

  async function ids(table: 'probe_run' | 'worker_pulse'): Promise<readonly string[]> {
    const { rows } = await database.pool.query<{ id: string }>(`SELECT id FROM ${table}`);
    return rows.map(({ id }) => id);
  }
});
