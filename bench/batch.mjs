// Compares ten hosts for one payment with one host, where every answer of a host takes 50 ms: `npm run bench -- batch`.
import { setTimeout as delay } from 'node:timers/promises';
import { processorMs, stopNode } from './measuring/cores.mjs';
import { ANSWER_MS, putService } from './refresh.mjs';
import { finding, inRounds, middle, ratio } from './measuring/figures.mjs';
import { makeBuyer } from './stage/buyer.mjs';
import { onStage, putWorker } from './stage/stage.mjs';
import { reportPath } from './stage/stored-hosts.mjs';

const HOSTS = 10;
const ROUNDS = 5;
/** The gateway is warmed up, because the worker is measured. */
const WARM_UP_BATCHES = 5;
/**
 * A worker warms up when it is ready; after this time, it has made no probe when it gets its order, in milliseconds.
 */
const FRESH_FOR_MS = 3_000;

export function measure() {
  return onStage(async (stage) => {
    const { hosts, gateway, env, worker } = await putService(stage, HOSTS, ANSWER_MS);
    const buy = makeBuyer();
    const order = (domains) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domains, mode: 'full' }),
    });
    let turn = 0;
    const sales = {
      one: () => buy(`${gateway.url}${reportPath(hosts.names[(turn += 1) % HOSTS])}/refresh`),
      ten: () => buy(`${gateway.url}/api/v1/hosts/refresh`, order(hosts.names)),
    };
    for (let batch = 0; batch < WARM_UP_BATCHES; batch += 1) await sales.ten();
    await stopNode(worker.child);
    const records = await inRounds(Object.keys(sales), ROUNDS, async (name) => {
      const { child, pid } = await putWorker(stage, env);
      await delay(FRESH_FOR_MS);
      const before = processorMs(pid);
      const { ms } = await sales[name]();
      const processor = processorMs(pid) - before;
      await stopNode(child);
      return { ms, processor };
    });
    const ms = (record) => record.ms;
    return [
      finding(
        `batch of ${HOSTS} such hosts, on a worker that made no probe before`,
        ratio(records, 'ten', 'one', ms),
        'x',
        {
          target: { atMost: 1.5 },
          reference: 'one such host',
          detail: { tenMs: middle(records, 'ten', ms), oneMs: middle(records, 'one', ms) },
        },
      ),
      finding(
        '  processor time of the worker for it',
        middle(records, 'ten', ({ processor }) => processor),
        'ms',
        { reference: `${middle(records, 'one', ({ processor }) => processor)} ms for one` },
      ),
    ];
  });
}
