// The cost of one probe: processor time, requests, Redis commands, Postgres transactions and log, storage: `npm run
// bench -- cost`. The figures in docs/scaling.md are multiples of these.
import { createRequire } from 'node:module';
import { processorMs } from './measuring/cores.mjs';
import { finding } from './measuring/figures.mjs';
import { onStage, probingAt, putOrders, putPostgres, putRedis, putTlsHosts, putWorker } from './stage/stage.mjs';

const require = createRequire(import.meta.url);
const { Redis } = require('ioredis');

const HOSTS = 50;
// A worker runs for days, so compilation during the first hundreds of probes does not count.
const WARM_UP = 6;
const WAVES = 4;
/** How often we check whether all probes are done; each check is a transaction and is counted. */
const CHECK_MS = 200;

/** The current values of all counters. */
async function counters({ database, redis, worker, hosts }) {
  const { rows } = await database.pool.query(
    `SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, xact_commit AS commits
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  return {
    processorMs: processorMs(worker.pid),
    redisCommands: Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))[1]),
    redisMs: cpuMs(await redis.info('cpu')),
    walBytes: Number(rows[0].wal),
    commits: Number(rows[0].commits),
    requests: (await hosts.requests()).length,
  };
}

/** The processor time of Redis, in milliseconds. */
const cpuMs = (info) =>
  ['sys', 'user'].reduce(
    (sum, kind) => sum + Number(new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(info)[1]) * 1_000,
    0,
  );

export function measure() {
  return onStage(async (stage) => {
    const hosts = await putTlsHosts(stage, { count: HOSTS });
    const { url: databaseUrl, database } = await putPostgres(stage);
    const redisUrl = await putRedis(stage);
    const redis = new Redis(redisUrl);
    stage.later(() => redis.disconnect());
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...probingAt(hosts) };
    const worker = await putWorker(stage, env);
    const { probeAll } = putOrders(stage, database, redisUrl);
    const everyHost = () => probeAll(hosts.names, CHECK_MS);
    for (let wave = 0; wave < WARM_UP; wave += 1) await everyHost();
    const deps = { database, redis, worker, hosts };
    const before = await counters(deps);
    for (let wave = 0; wave < WAVES; wave += 1) await everyHost();
    const after = await counters(deps);
    const per = (name) => (after[name] - before[name]) / (WAVES * HOSTS);
    const { rows } = await database.pool.query(
      `SELECT (SELECT avg(length(lines)) FROM evidence) + (SELECT sum(length(bytes)) FROM evidence_body) / (SELECT count(*) FROM host) AS evidence,
              (SELECT avg(pg_column_size(facts)) FROM host) AS report`,
    );
    return [
      finding('one probe: processor time of the worker', per('processorMs'), 'ms'),
      finding('one probe: requests to the host', after.requests / (WAVES * HOSTS), ''),
      finding('one probe: Redis commands', per('redisCommands'), ''),
      finding('one probe: processor time of Redis', per('redisMs'), 'ms'),
      finding('one probe: transactions of Postgres', per('commits'), ''),
      finding('one probe: log of Postgres (WAL)', per('walBytes') / 1_024, 'KB'),
      finding('one host: its report, as stored', Number(rows[0].report) / 1_024, 'KB'),
      finding('one host: packed evidence', Number(rows[0].evidence) / 1_024, 'KB'),
    ];
  });
}
