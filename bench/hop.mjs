// The way through the queue with an empty probe: `npm run bench -- hop`. It measures from the gateway's order until the
// waiting caller has the outcome, with the same row, queue, budgets and notifications as a sale, compared with plain
// BullMQ on the same Redis.
import { setTimeout as delay } from 'node:timers/promises';
import { at, finding, median, timed } from './measuring/figures.mjs';
import { openBareQueue } from './reference/bare-queue.mjs';
import { onStage, putOrders, putPostgres, putProgram, putRedis } from './stage/stage.mjs';
import { built } from './stage/built.mjs';

const { ProbeClient } = built('apps/gateway/src/probing-client/probe-client');
const { TargetAdmission } = built('apps/gateway/src/probing-client/target-admission');
const { openLimitStore, OptOuts, TargetBudgets } = built('libs/limits/src/index');
const { createLogger } = built('libs/platform/src/index');
const { Notices, HeartbeatRepository } = built('libs/storage/src/index');
const { HostName } = built('libs/hosts/src/index');

const WARM_UP = 100;
const ROUNDS = 5;
const PER_ROUND = 100;
/** Orders per second of the constant load, and its duration. */
const RATE = 100;
const STEADY_SEC = 10;

async function putClient(stage, databaseUrl, redisUrl, database) {
  const { runs, producer } = putOrders(stage, database, redisUrl);
  const notices = new Notices(databaseUrl, () => undefined);
  await notices.start();
  stage.later(() => notices.close());
  const limits = openLimitStore({ redisUrl, pool: database.pool });
  stage.later(() => limits.close());
  const budgets = new TargetBudgets(limits, { probesPer15Min: 1_000_000, requestsPerMin: 1_000_000, concurrency: 4 });
  const noOptOuts = new OptOuts(
    [],
    async () => [],
    () => undefined,
  );
  const targets = new TargetAdmission(budgets, noOptOuts, runs);
  const probes = new ProbeClient({
    runs,
    heartbeats: new HeartbeatRepository(database),
    producer,
    notices,
    targets,
    deadlineMs: 25_000,
    failed: () => undefined,
    logger: createLogger('bench', 'silent'),
  });
  const { host } = HostName.parse('shop.example.com');
  let turn = 0;
  return async () => {
    const url = `https://shop.example.com/${(turn += 1)}`; // each order has its own subject
    return timed(() => probes.run({ kind: 'endpoint_health', host, url, method: 'GET' }));
  };
}

async function oneAfterAnother(order, count) {
  const times = [];
  for (let i = 0; i < count; i += 1) times.push(await order());
  return times;
}

/** Sends orders at a fixed rate, even if earlier ones have not ended. */
async function atRate(order, perSecond, seconds) {
  const times = [];
  const started = performance.now();
  for (let i = 0; i < perSecond * seconds; i += 1) {
    const due = started + (i * 1_000) / perSecond;
    if (performance.now() < due) await delay(due - performance.now());
    times.push(order());
  }
  return Promise.all(times);
}

export function measure() {
  return onStage(async (stage) => {
    const { url: databaseUrl, database } = await putPostgres(stage);
    const redisUrl = await putRedis(stage);
    await putProgram(stage, 'stage/empty-worker', { databaseUrl, redisUrl }, { core: null });
    const order = await putClient(stage, databaseUrl, redisUrl, database);
    const { addAndWait, close } = await openBareQueue(redisUrl);
    stage.later(close);
    await oneAfterAnother(order, WARM_UP);
    await oneAfterAnother(addAndWait, WARM_UP);
    const [hops, bare, ratios] = [[], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [hop, alone] = [await oneAfterAnother(order, PER_ROUND), await oneAfterAnother(addAndWait, PER_ROUND)];
      hops.push(...hop);
      bare.push(...alone);
      ratios.push(median(hop) / median(alone));
    }
    const steady = await atRate(order, RATE, STEADY_SEC);
    return [
      finding('queue hop, empty probe, median', median(ratios), 'x', {
        target: { atMost: 2 },
        reference: 'bare BullMQ, add to processed',
        detail: { hopMs: median(hops), bareMs: median(bare), hopP99Ms: at(hops, 0.99), bareP99Ms: at(bare, 0.99) },
      }),
      finding('  one after another', median(hops), 'ms', { reference: `BullMQ ${median(bare).toFixed(2)} ms` }),
      finding(`queue hop at ${RATE} a second, p99`, at(steady, 0.99), 'ms', {
        target: { atMost: 25 },
        detail: { p50Ms: median(steady), maxMs: at(steady, 1) },
      }),
    ];
  });
}
