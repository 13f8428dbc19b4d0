// Fifty hostile origins at once through a real worker: `npm run bench -- hostile [--json] [--postgres]`. Limits: each
// probe ends within 20 s, the worker grows by at most 300 MB and releases it again, a healthy host probed in the middle
// takes less than twice its usual time, and no document blocks the event loop for more than 50 ms. For that, the
// heaviest documents are probed one by one, so that a long block belongs to one document.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { residentMb, startNode, stopNode, watchMemory } from './measuring/cores.mjs';
import { finding, median } from './measuring/figures.mjs';
import { onStage, probingAt, putAuthority, putOrders, putPostgres, putRedis, putWorker } from './stage/stage.mjs';

const ORIGINS = 50;
const HEALTHY_PROBES = 9;
const MIDDLE_PROBES = 5;
const DEADLINE_MS = 40_000;
const AFTERMATH_PROBES = 30;
const QUIET_MS = 5_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The hostile origins, their documents and a healthy host, in their own process. */
export async function putHostileHosts(stage) {
  const { child, message } = await startNode(here('./hostile/origins.mjs'), { args: [String(ORIGINS)] });
  stage.later(() => stopNode(child, 'SIGKILL'));
  return message;
}

/** Starts a probe and resolves when it ends. Times are from start to end of the work. */
const openProber =
  ({ order }, { pool }) =>
  async (domain) => {
    const { id } = await order(domain, DEADLINE_MS);
    for (;;) {
      const { rows } = await pool.query(
        `SELECT status, failure, extract(epoch FROM finished_at - started_at) * 1000 AS ms FROM probe_run WHERE id = $1`,
        [id],
      );
      const [{ status, failure, ms }] = rows;
      if (!['queued', 'running'].includes(status)) return { domain, status: failure ?? status, ms: Number(ms) };
      await delay(100);
    }
  };

/** One storm: all hostile origins at once, the healthy host in the middle, and some healthy probes afterwards. */
async function storm(probe, worker, origins, healthy, healthyInTheMiddle) {
  const endWatch = watchMemory(worker.pid, 100);
  const started = Date.now();
  const inTheMiddle = async () => {
    await delay(500);
    const times = [];
    for (let i = 0; i < healthyInTheMiddle; i += 1) times.push((await probe(healthy.name)).ms);
    return times;
  };
  const [middle, ...probes] = await Promise.all([
    inTheMiddle(),
    ...origins.map(async (origin) => ({ ...origin, ...(await probe(origin.name)) })),
  ]);
  const ended = Date.now();
  const peakMb = endWatch();
  // Memory must be released both during later work, as is usual in a service, and without it.
  for (let i = 0; i < AFTERMATH_PROBES; i += 1) await probe(healthy.name);
  await delay(QUIET_MS);
  return { probes, middle, started, ended, peakMb, afterMb: residentMb(worker.pid) };
}

/** The longest event loop delays between two times, in milliseconds. */
function loopBetween(loopFile, from, to) {
  const lines = readFileSync(loopFile, 'utf8').trim().split('\n');
  const during = lines.map((line) => line.split(' ').map(Number)).filter(([at]) => at >= from && at <= to + 200);
  const turns = during.map(([, , ran]) => ran);
  const long = `${turns.filter((ms) => ms > 50).length} of ${turns.length} tenths of a second beyond 50 ms`;
  const wall = `by the clock ${Math.max(...during.map(([, ms]) => ms)).toFixed(0)} ms`;
  return { max: Math.max(...turns), long, wall };
}

/** Probes each of the heaviest documents, one after the other. */
async function readDocuments(probe, documents, loopFile) {
  const rows = [];
  for (const { kind, name } of documents) {
    const from = Date.now();
    const { status } = await probe(name);
    const { max, wall } = loopBetween(loopFile, from, Date.now());
    const target = { atMost: 50 };
    rows.push(finding(kind, max, 'ms', { target, reference: `processor time; ${wall}; ${status}` }));
  }
  return rows;
}

async function findingsOf(probe, worker, { origins, documents, healthy }, loopFile) {
  await probe(healthy.name); // the first probe loads what later ones reuse
  const usual = [];
  for (let i = 0; i < HEALTHY_PROBES; i += 1) usual.push((await probe(healthy.name)).ms);
  const before = residentMb(worker.pid);
  const first = await storm(probe, worker, origins, healthy, MIDDLE_PROBES);
  const second = await storm(probe, worker, origins, healthy, 0);
  const loop = loopBetween(loopFile, first.started, first.ended);
  const failed = first.probes.filter(({ status }) => status !== 'done').map(({ kind, status }) => `${kind}: ${status}`);
  const slowest = first.probes.toSorted((a, b) => b.ms - a.ms)[0];
  const row = (what, figure, unit, atMost, reference) =>
    finding(what, figure, unit, { target: atMost && { atMost }, reference });
  return [
    finding('probes of hostile hosts that ended', ORIGINS - failed.length, '', {
      target: { atLeast: ORIGINS },
      reference: failed.join(', '),
    }),
    row('slowest of them', slowest.ms / 1_000, 's', 20, slowest.kind),
    row('worker, growth at the peak', first.peakMb - before, 'MB', 300),
    row('worker, growth kept after it', first.afterMb - before, 'MB'),
    row('worker, kept after a second storm', second.afterMb - before, 'MB', undefined, 'should be no more'),
    row('healthy host, in the middle', median(first.middle) / median(usual), 'x', 2, `${median(usual).toFixed(0)} ms`),
    row('storm, longest delay of the loop', loop.max, 'ms', undefined, `processor time; ${loop.wall}; ${loop.long}`),
    ...(await readDocuments(probe, documents, loopFile)),
  ];
}

export function measure() {
  return onStage(async (stage) => {
    const { url: DATABASE_URL, database } = await putPostgres(stage, { fsync: 'off' });
    const redisUrl = process.argv.includes('--postgres') ? null : await putRedis(stage);
    const world = await putHostileHosts(stage);
    const all = [...world.origins, ...world.documents, world.healthy];
    const connectTo = all.map(({ name, port }) => `${name}:443=127.0.0.1:${port}`).join(',');
    const loopFile = join(stage.dir, 'loop');
    const env = {
      DATABASE_URL,
      ...(redisUrl && { REDIS_URL: redisUrl }),
      ...probingAt({ connectTo, caFile: putAuthority(stage, world.ca) }),
      WORKER_CONCURRENCY: String(ORIGINS + 10),
      BENCH_LOOP_FILE: loopFile,
    };
    const worker = await putWorker(stage, env, { execArgv: ['--require', here('./hostile/loop-delay.cjs')] });
    return findingsOf(openProber(putOrders(stage, database, redisUrl), database), worker, world, loopFile);
  });
}
