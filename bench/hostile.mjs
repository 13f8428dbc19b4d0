// Fifty hostile origins at once through a real worker: `npm run bench -- hostile [--json] [--postgres]`.
// Limits: each probe ends within 20 s, the worker grows by at most 300 MB and gives it back, a healthy host probed in the
// middle takes less than twice its usual time, and no document holds the event loop for more than 50 ms: the heaviest ones
// are probed one by one, so that a long turn is one document's.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { residentMb, watchMemory } from './measuring/cores.mjs';
import { median } from './measuring/medians.mjs';
import { built, program } from './stage/built.mjs';

const { startPostgres } = built('apps/standalone/src/embedded/embedded-postgres');
const { MEMORY_SETTINGS } = built('apps/standalone/src/service-process');
const { startQueue } = built('apps/standalone/src/embedded/embedded-queue');
const { Database, migrate, RunRepository } = built('libs/persistence/src/index');
const { createProducer, orderOf, queueConnection } = built('libs/queue/src/index');
const { HostName } = built('libs/reports/src/index');

const ORIGINS = 50;
const HEALTHY_PROBES = 9;
const MIDDLE_PROBES = 5;
const DEADLINE_MS = 40_000;
const AFTERMATH_PROBES = 30;
const QUIET_MS = 5_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

async function startWorker(dir, databaseUrl, redisUrl, { ca, origins, documents, healthy }) {
  writeFileSync(join(dir, 'ca.pem'), ca);
  const connectTo = [...origins, ...documents, healthy].map(({ name, port }) => `${name}:443=127.0.0.1:${port}`);
  const worker = fork(program('worker'), [], {
    execArgv: ['--require', here('./hostile/loop-delay.cjs')],
    env: {
      PATH: process.env.PATH,
      ...MEMORY_SETTINGS,
      DATABASE_URL: databaseUrl,
      ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
      PROBE_CONNECT_TO: connectTo.join(','),
      PROBE_CA_FILE: join(dir, 'ca.pem'),
      WORKER_CONCURRENCY: String(ORIGINS + 10),
      // All of them share one registrable domain and one address block; the budgets have a test of their own.
      TARGET_PROBES_PER_15_MIN: '10000',
      TARGET_REQUESTS_PER_MIN: '1000000',
      LOG_LEVEL: 'error',
      BENCH_LOOP_FILE: join(dir, 'loop'),
    },
  });
  await once(worker, 'message');
  return worker;
}

/** Makes probes as the gateway does: a row, its id in the queue, and the row again. Times count from begin to end of work. */
function openProber(database, producer) {
  const runs = new RunRepository(database);
  return async (domain) => {
    const order = orderOf({ kind: 'host', host: HostName.parse(domain).host });
    const { run } = await runs.open(order, new Date(Date.now() + DEADLINE_MS));
    await producer.add({ runId: run.id });
    for (;;) {
      const { rows } = await database.pool.query(
        `SELECT status, failure, extract(epoch FROM finished_at - started_at) * 1000 AS ms FROM probe_run WHERE id = $1`,
        [run.id],
      );
      if (!['queued', 'running'].includes(rows[0].status))
        return { domain, status: rows[0].failure ?? rows[0].status, ms: Number(rows[0].ms) };
      await delay(100);
    }
  };
}

/** One storm: every hostile origin at once, the healthy host in the middle, and some healthy probes after it. */
async function storm(probe, worker, origins, healthy, healthyInTheMiddle) {
  const endWatch = watchMemory(worker.pid, 100);
  const started = Date.now();
  const probing = Promise.all(origins.map(async (origin) => ({ ...origin, ...(await probe(origin.name)) })));
  await delay(500);
  const middle = [];
  for (let i = 0; i < healthyInTheMiddle; i += 1) middle.push((await probe(healthy.name)).ms);
  const probes = await probing;
  const ended = Date.now();
  const peakMb = endWatch();
  // Memory is given back by work that follows, as there always is in a service, and when there is none.
  for (let i = 0; i < AFTERMATH_PROBES; i += 1) await probe(healthy.name);
  await delay(QUIET_MS);
  return { probes, middle, started, ended, peakMb, afterMb: residentMb(worker.pid) };
}

/** The longest delays of the event loop between two times, in milliseconds. */
function loopBetween(loopFile, from, to) {
  const lines = readFileSync(loopFile, 'utf8').trim().split('\n');
  const during = lines.map((line) => line.split(' ').map(Number)).filter(([at]) => at >= from && at <= to + 200);
  const turns = during.map(([, , ran]) => ran);
  return {
    max: Math.max(...turns),
    over50: turns.filter((ms) => ms > 50).length,
    samples: turns.length,
    wallMax: Math.max(...during.map(([, wall]) => wall)),
  };
}

/** One probe of each of the heaviest documents, one after the other. */
async function readDocuments(probe, documents, loopFile) {
  const rows = [];
  for (const { kind, name } of documents) {
    const from = Date.now();
    const { status } = await probe(name);
    const { max, wallMax } = loopBetween(loopFile, from, Date.now());
    rows.push({ kind, status, max, wallMax });
  }
  return rows;
}

async function measure(probe, worker, { origins, documents, healthy }, loopFile) {
  await probe(healthy.name); // the first probe loads what later ones have
  const usual = [];
  for (let i = 0; i < HEALTHY_PROBES; i += 1) usual.push((await probe(healthy.name)).ms);
  const before = residentMb(worker.pid);
  const first = await storm(probe, worker, origins, healthy, MIDDLE_PROBES);
  const second = await storm(probe, worker, origins, healthy, 0);
  const read = await readDocuments(probe, documents, loopFile);
  return {
    probes: first.probes,
    usualMs: median(usual),
    middleMs: median(first.middle),
    rssMb: { before, peak: first.peakMb, after: first.afterMb, afterSecond: second.afterMb },
    loopMs: loopBetween(loopFile, first.started, first.ended),
    documents: read,
  };
}

function table({ probes, usualMs, middleMs, rssMb: rss, loopMs, documents }) {
  const slowest = Math.max(...probes.map(({ ms }) => ms));
  const rows = [
    [
      'probes of hostile hosts that ended',
      `${probes.filter(({ status }) => status === 'done').length} of ${ORIGINS}`,
      `${ORIGINS}`,
    ],
    ['slowest of them', `${(slowest / 1_000).toFixed(1)} s`, '20 s'],
    ['worker, growth at the peak', `${(rss.peak - rss.before).toFixed(0)} MB`, '300 MB'],
    ['worker, growth kept after it', `${(rss.after - rss.before).toFixed(0)} MB`, ''],
    ['worker, kept after a second storm', `${(rss.afterSecond - rss.before).toFixed(0)} MB`, 'no more'],
    ['healthy host, usually', `${usualMs.toFixed(0)} ms`, ''],
    ['healthy host, in the middle', `${(middleMs / usualMs).toFixed(2)} x`, '2 x'],
    ['storm, longest delay of the loop', `${loopMs.max.toFixed(0)} ms`, 'processor time, fifty probes together'],
    ['the same by the clock', `${loopMs.wallMax.toFixed(0)} ms`, ''],
    ['tenths of a second beyond 50 ms', `${loopMs.over50} of ${loopMs.samples}`, ''],
    ...documents.map(({ kind, max, wallMax }) => [
      kind,
      `${max.toFixed(0)} ms`,
      `50 ms of processor time in one delay of the loop; by the clock ${wallMax.toFixed(0)} ms`,
    ]),
  ];
  return rows.map(([what, figure, limit]) => `${what.padEnd(36)}${figure.padStart(12)}   ${limit}`).join('\n');
}

function failures(probes) {
  return probes
    .filter(({ status }) => status !== 'done')
    .map(({ kind, status }) => `${kind}: ${status}\n`)
    .join('');
}

const dir = mkdtempSync(join(tmpdir(), 'hostprobe-bench-'));
const postgres = await startPostgres({ dir: join(dir, 'postgres'), settings: { fsync: 'off' } });
await migrate(postgres.url);
// As in `npm start`: Redis when it is installed, unless the queue on Postgres is asked for.
const redis = process.argv.includes('--postgres')
  ? null
  : await startQueue({ dir: join(dir, 'redis'), path: process.env.PATH });
const redisUrl = redis?.url ?? null;
const hosts = fork(here('./hostile/origins.mjs'), [String(ORIGINS)]);
const gone = once(hosts, 'exit').then(() => {
  throw new Error('the hostile origins ended early');
});
const [world] = await Promise.race([once(hosts, 'message'), gone]);
const worker = await startWorker(dir, postgres.url, redisUrl, world);
const database = new Database(postgres.url);
const producer = createProducer(queueConnection(redisUrl, postgres.url), 'live', () => undefined);
try {
  const result = await Promise.race([measure(openProber(database, producer), worker, world, join(dir, 'loop')), gone]);
  const slow = result.probes.toSorted((a, b) => b.ms - a.ms).slice(0, 5);
  process.stdout.write(
    process.argv.includes('--json')
      ? `${JSON.stringify(result)}\n`
      : `${table(result)}\n\n${failures(result.probes)}slowest: ${slow.map(({ kind, ms }) => `${kind} ${(ms / 1_000).toFixed(1)} s`).join(', ')}\n`,
  );
} finally {
  gone.catch(() => undefined);
  worker.kill('SIGTERM');
  hosts.kill('SIGKILL');
  await producer.close();
  await database.close();
  await once(worker, 'exit');
  await redis?.process.stop();
  await postgres.process.stop();
  rmSync(dir, { recursive: true, force: true });
}
