// The memory of a gateway with more hosts than its caches hold, and of a worker with 50 running probes: `npm run bench
// -- memory`. A gateway with 1,000,000 hosts is measured by `npm run bench -- million`.
import { residentMb, watchMemory } from './measuring/cores.mjs';
import { finding } from './measuring/figures.mjs';
import { load } from './measuring/load.mjs';
import {
  onStage,
  probingAt,
  putGateway,
  putOrders,
  putPostgres,
  putRedis,
  putTlsHosts,
  putWorker,
} from './stage/stage.mjs';
import { hostName, reportPath, storeHosts } from './stage/stored-hosts.mjs';

const STORED = 20_000;
const IN_FLIGHT = 50;
const ANSWER_MS = 50;
const WAVES = 6;

/** Reads every stored report once and half a minute's worth of them again; returns the peak memory of the gateway. */
export async function gatewayPeakMb(gateway, hosts, { reads = hosts, headers = {} } = {}) {
  const step = Math.max(1, Math.floor(hosts / reads));
  const paths = Array.from({ length: Math.floor(hosts / step) }, (_, index) => reportPath(hostName(index * step + 1)));
  const peakMb = watchMemory(gateway.pid);
  await load({ url: gateway.url, pid: gateway.pid, paths, headers }, { amount: paths.length + 10_000 });
  return peakMb();
}

async function workerPeakMb(stage, database, env, names) {
  const worker = await putWorker(stage, { ...env, WORKER_CONCURRENCY: String(IN_FLIGHT) });
  const { probeAll } = putOrders(stage, database, env.REDIS_URL);
  const peakMb = watchMemory(worker.pid);
  for (let wave = 0; wave < WAVES; wave += 1) await probeAll(names);
  return peakMb();
}

export function measure() {
  return onStage(async (stage) => {
    const hosts = await putTlsHosts(stage, { count: IN_FLIGHT, delayMs: ANSWER_MS });
    const { url: databaseUrl, database } = await putPostgres(stage, { fsync: 'off' });
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: await putRedis(stage), ...probingAt(hosts) };
    await storeHosts(database.pool, STORED);
    const gateway = await putGateway(stage, { DATABASE_URL: databaseUrl }, { core: null });
    const idleMb = residentMb(gateway.pid);
    const gatewayMb = await gatewayPeakMb(gateway, STORED);
    const workerMb = await workerPeakMb(stage, database, env, hosts.names);
    return [
      finding(`memory of a gateway, ${STORED} hosts stored and read`, gatewayMb, 'MB', {
        target: { atMost: 250 },
        reference: `${idleMb.toFixed(0)} MB before the first request`,
        detail: { idleMb },
      }),
      finding(`memory of a worker with ${IN_FLIGHT} probes in flight`, workerMb, 'MB', {
        target: { atMost: 300 },
        detail: { probes: WAVES * IN_FLIGHT },
      }),
    ];
  });
}
