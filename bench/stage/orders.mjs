// Orders of looks past the gateway, made as it makes them: a row, and its id in the queue.
import { setTimeout as delay } from 'node:timers/promises';
import { built } from './built.mjs';

const { RunRepository } = built('libs/persistence/src/index');
const { createProducer, queueConnection } = built('libs/queue/src/index');

/** @param redisUrl null puts the queue on Postgres */
export function putOrders(stage, database, redisUrl) {
  const producer = createProducer(queueConnection(redisUrl, database.url), 'live');
  stage.later(() => producer.close());
  const runs = new RunRepository(database);

  /** Orders a look at a host, or joins the one under way; resolves to its run. */
  async function order(domain, deadlineMs = 60_000) {
    const { run, fresh } = await runs.open({ kind: 'host', domain }, new Date(Date.now() + deadlineMs));
    if (fresh) await producer.add({ runId: run.id });
    return run;
  }

  /** Has every host looked at once, all in the queue together. */
  async function lookAtAll(domains, checkMs = 50) {
    for (const domain of domains) await order(domain);
    while ((await runs.waiting('paid')) > 0) await delay(checkMs);
  }

  return { runs, order, lookAtAll };
}
