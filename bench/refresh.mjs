// A paid refresh, end to end over HTTP, for hosts that take 50 ms per answer: `npm run bench -- refresh`.
import { at, finding, median } from './measuring/figures.mjs';
import { makeBuyer } from './stage/buyer.mjs';
import {
  onStage,
  probingAt,
  putGateway,
  putPostgres,
  putRedis,
  putSelling,
  putTlsHosts,
  putWorker,
} from './stage/stage.mjs';
import { reportPath } from './stage/stored-hosts.mjs';

export const ANSWER_MS = 50;
const WARM_UP = 5;
const SALES = 25;

/** A complete service that sells refreshes of `count` such hosts. */
export async function putService(stage, count, delayMs) {
  const hosts = await putTlsHosts(stage, { count, delayMs });
  const { url: databaseUrl, database } = await putPostgres(stage);
  const selling = await putSelling(stage);
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await putRedis(stage), ...selling, ...probingAt(hosts) };
  const worker = await putWorker(stage, env);
  const gateway = await putGateway(stage, env, { core: null });
  return { hosts, database, env, worker, gateway };
}

export function measure() {
  return onStage(async (stage) => {
    const { hosts, gateway, database } = await putService(stage, 5, ANSWER_MS);
    const buy = makeBuyer();
    const times = [];
    for (let sale = -WARM_UP; sale < SALES; sale += 1) {
      const { ms } = await buy(`${gateway.url}${reportPath(hosts.names[(sale + WARM_UP) % 5])}/refresh`);
      if (sale === -1) await hosts.requests();
      if (sale >= 0) times.push(ms);
    }
    const requests = (await hosts.requests()).length / SALES;
    const { rows } = await database.pool.query(
      `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at) * 1000) AS ms
       FROM probe_run WHERE started_at > now() - $1 * interval '1 millisecond'`,
      [times.reduce((sum, ms) => sum + ms, 0)],
    );
    const moved = [];
    for (let sale = -WARM_UP; sale < SALES; sale += 1) {
      const { ms } = await buy(`${gateway.url}${reportPath(hosts.movedNames[(sale + WARM_UP) % 5])}/refresh`);
      if (sale >= 0) moved.push(ms);
    }
    return [
      finding(`full refresh of a host that answers in ${ANSWER_MS} ms`, median(times) / ANSWER_MS, 'x', {
        target: { atMost: 7 },
        reference: `those ${ANSWER_MS} ms`,
        detail: { p50Ms: median(times), p99Ms: at(times, 0.99), requests },
      }),
      finding('  from the paid request to its answer', median(times), 'ms', {
        reference: `${requests.toFixed(0)} requests to the host, at most 4 at once`,
      }),
      finding('  of that the probe itself', Number(rows[0].ms), 'ms'),
      finding('the same of a name that redirects every path to it', median(moved) / median(times), 'x', {
        target: { atMost: 1.2 },
        reference: 'the host without the redirect',
        detail: { p50Ms: median(moved) },
      }),
    ];
  });
}
