// Orders of probes past the gateway, made as it makes them: a row, and its id in the queue.
import { setTimeout as delay } from 'node:timers/promises';
import { built } from './built.mjs';

const { RunRepository } = built('libs/persistence/src/index');
const { HostName } = built('libs/reports/src/index');
const { createProducer, orderOf, queueConnection } = built('libs/queue/src/index');

/** @param redisUrl null puts the queue on Postgres */
export function putOrders(stage, database, redisUrl) {
  const producer = createProducer(queueConnection(redisUrl, database.url), 'live', () => undefined);
  stage.later(() => producer.close());
  const runs = new RunRepository(database);

  /** Orders a probe of a host, or joins the one under way; resolves to its run. */
  async function order(domain, deadlineMs = 60_000) {
    const asked = orderOf({ kind: 'host', host: HostName.parse(domain).host });
    const { run, fresh } = await runs.open(asked, new Date(Date.now() + deadlineMs));
    if (fresh) await producer.add({ runId: run.id });
    return run;
  }

  /** Has every host probed once, all in the queue together. */
  async function probeAll(domains, checkMs = 50) {
    for (const domain of domains) await order(domain);
    while ((await runs.waiting('paid')) > 0) await delay(checkMs);
  }

  return { runs, order, probeAll };
}
