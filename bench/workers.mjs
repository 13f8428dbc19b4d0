// One, two and four workers on the same Redis and Postgres, with hosts that take 200 ms per answer: `npm run bench --
// workers`. An additional worker gets the same variables as the first and nothing else.
import { setTimeout as delay } from 'node:timers/promises';
import { finding, median } from './measuring/figures.mjs';
import { stopNode } from './measuring/cores.mjs';
import { onStage, probingAt, putOrders, putPostgres, putRedis, putTlsHosts, putWorker } from './stage/stage.mjs';

const ANSWER_MS = 200;
/** Concurrent probes per worker: few, so that four workers do not need more than two cores. */
const CONCURRENCY = 5;
const HOSTS = 60;
const FLEETS = [1, 2, 4];
const ROUNDS = 2;
const SETTLE_MS = 2_000;
const WINDOW_MS = 12_000;
const DEADLINE_MS = 600_000;

/** Keeps every host in the queue, like `HOSTS` buyers who immediately buy again. */
function keepQueued({ runs, order }, names) {
  let ended = false;
  const buyer = async (domain) => {
    while (!ended) {
      const { id } = await order(domain, DEADLINE_MS);
      while (!ended && ['queued', 'running'].includes((await runs.find(id)).status)) await delay(50);
    }
  };
  const buyers = Promise.all(names.map(buyer));
  return () => {
    ended = true;
    return buyers;
  };
}

const doneIn = async (database, ms) => {
  const count = async () =>
    Number((await database.pool.query(`SELECT count(*) AS n FROM probe_run WHERE status = 'done'`)).rows[0].n);
  const [before, started] = [await count(), performance.now()];
  await delay(ms);
  return ((await count()) - before) / ((performance.now() - started) / 1_000);
};

export function measure() {
  return onStage(async (stage) => {
    const hosts = await putTlsHosts(stage, { count: HOSTS, delayMs: ANSWER_MS });
    const { url: databaseUrl, database } = await putPostgres(stage);
    const redisUrl = await putRedis(stage);
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      WORKER_CONCURRENCY: String(CONCURRENCY),
      ...probingAt(hosts),
    };
    const stop = keepQueued(putOrders(stage, database, redisUrl), hosts.names);
    stage.later(stop);
    const rates = Object.fromEntries(FLEETS.map((size) => [size, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      const workers = [];
      for (const size of FLEETS) {
        while (workers.length < size) workers.push(await putWorker(stage, env));
        await delay(SETTLE_MS);
        rates[size].push(await doneIn(database, WINDOW_MS));
      }
      await Promise.all(workers.map(({ child }) => stopNode(child)));
    }
    const gain = (size) => median(rates[size].map((rate, round) => rate / rates[1][round]));
    const line = (size, what, atLeast) =>
      finding(what, gain(size), 'x', {
        target: { atLeast },
        reference: `one worker, ${median(rates[1]).toFixed(1)} probes a second`,
        detail: { probesPerSecond: median(rates[size]), concurrency: CONCURRENCY },
      });
    return [
      line(2, `two workers on hosts that answer in ${ANSWER_MS} ms`, 1.9),
      line(4, `four workers on hosts that answer in ${ANSWER_MS} ms`, 3.6),
    ];
  });
}
