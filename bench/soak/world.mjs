// The service that a soak attacks: a gateway that settles on a chain, a worker, Postgres, Redis, hostile hosts under many
// names and a healthy one in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startNode, stopNode } from '../measuring/cores.mjs';
import { built } from '../stage/built.mjs';
import { makeBuyer } from '../stage/buyer.mjs';
import { putChain } from '../stage/chain.mjs';
import { putGateway, putWorker } from '../stage/services.mjs';
import { putPostgres, putRedis } from '../stage/storage.mjs';
import { reportPath } from '../stage/stored-hosts.mjs';
import { probingAt, putTlsHosts } from '../stage/tls-hosts.mjs';

const require = createRequire(import.meta.url);
const { generatePrivateKey, privateKeyToAddress } = require('viem/accounts');
const { CHAINS } = built('libs/networks/src/index');

const ORIGINS = 50;
/** Names of the hostile hosts: more than there are free probes of in an hour. */
const NAMES = 700;
const ANSWER_MS = 50;
const MIB = 1_024 ** 2;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The hostile hosts, each under several names. */
async function putHostileHosts(stage) {
  const hosts = fork(here('../hostile/origins.mjs'), [String(ORIGINS)]);
  stage.later(() => stopNode(hosts, 'SIGKILL'));
  const [{ ca, origins, documents }] = await once(hosts, 'message');
  const ports = [...origins, ...documents].map(({ port }) => port);
  const names = Array.from({ length: NAMES }, (_, index) => `hostile${index}.example.com`);
  const connectTo = names.map((name, index) => `${name}:443=127.0.0.1:${ports[index % ports.length]}`);
  return { ca, names, connectTo: connectTo.join(',') };
}

/** What gateway and worker are given: budgets of callers are those of a deployment, those of hosts have tests of their own. */
async function environment(stage, databaseUrl, { healthy, hostile, purse, key }) {
  const caFile = join(stage.dir, 'authorities.pem');
  writeFileSync(caFile, `${readFileSync(healthy.caFile, 'utf8')}\n${hostile.ca}`);
  const senders = [privateKeyToAddress(key)];
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: await putRedis(stage),
    ...probingAt({ connectTo: `${healthy.connectTo},${hostile.connectTo}`, caFile }),
    FREE_PROBES_PER_SITE_DAY: '10000',
    TRUSTED_PROXIES: '127.0.0.1',
    X402_PAY_TO: privateKeyToAddress(generatePrivateKey()),
    X402_FACILITATOR_KEY: key,
    RPC_URL_8453: await putChain(stage, CHAINS['eip155:8453'], { buyer: privateKeyToAddress(purse), senders }),
  };
}

export async function putWorld(stage) {
  const [purse, key] = [generatePrivateKey(), generatePrivateKey()];
  const healthy = await putTlsHosts(stage, { count: 1, delayMs: ANSWER_MS });
  const hostile = await putHostileHosts(stage);
  const { url: databaseUrl, database } = await putPostgres(stage);
  const env = await environment(stage, databaseUrl, { healthy, hostile, purse, key });
  const worker = await putWorker(stage, env);
  const gateway = await putGateway(stage, env, { core: null });
  const time = makeBuyer(purse);
  const refreshOf = (name) => `${gateway.url}${reportPath(name)}/refresh`;
  const one = async (sql) => (await database.pool.query(sql)).rows[0];
  let attackers;
  return {
    gateway,
    worker,
    healthy: healthy.names[0],
    hostile: hostile.names,
    /** Buys a probe; `{ ms, body }`. @throws when it is not answered with 200 */
    buy: (name) => time(refreshOf(name)),
    async attack(minutes) {
      const [name] = healthy.names;
      const input = { url: gateway.url, names: hostile.names, healthy: name, refresh: refreshOf(name), minutes };
      ({ child: attackers } = await startNode(here('./attackers.mjs'), { input }));
      stage.later(() => stopNode(attackers, 'SIGKILL'));
    },
    async counts() {
      const said = once(attackers, 'message');
      attackers.send('counts');
      const [counts] = await said;
      await stopNode(attackers, 'SIGKILL');
      return counts;
    },
    databaseMb: async () => Number((await one('SELECT pg_database_size(current_database()) AS bytes')).bytes) / MIB,
    /** Of the last sales of the healthy host, in milliseconds: where the time went, by the ledger. */
    saleTimes: (newest) =>
      one(`WITH sale AS (
             SELECT max(at) FILTER (WHERE state = 'received') AS received, max(at) FILTER (WHERE state = 'working') AS working,
                    max(at) FILTER (WHERE state = 'settling') AS settling, max(at) FILTER (WHERE state = 'settled') AS settled
             FROM payment_event WHERE attempt_id IN (
               SELECT id FROM payment_attempt WHERE state = 'settled' AND resource LIKE '%/${healthy.names[0]}/%'
               ORDER BY created_at DESC LIMIT ${newest})
             GROUP BY attempt_id),
           took AS (SELECT unnest(ARRAY['verification', 'probe', 'settlement']) AS step, unnest(ARRAY[
             working - received, settling - working, settled - settling]) AS time FROM sale),
           tell AS (SELECT step, percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM time) * 1000) AS ms
             FROM took GROUP BY step)
           SELECT json_object_agg(step, ms) AS steps FROM tell`).then(({ steps }) => steps),
    rows: () =>
      one(`SELECT (SELECT count(*) FROM host) AS "hosts stored", (SELECT count(*) FROM probe_run) AS "probes",
                  (SELECT count(*) FROM payment_attempt WHERE state = 'settled') AS "payments settled",
                  (SELECT count(*) FROM payment_attempt WHERE state IN ('rejected', 'work_failed')) AS "payments refused and kept"`),
  };
}
