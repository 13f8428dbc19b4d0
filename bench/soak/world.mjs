// The attacked service of a soak: a gateway that settles on a chain, a worker, Postgres, Redis, hostile hosts with many
// names, and a healthy one in its own process.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { putHostileHosts } from '../hostile.mjs';
import { startNode, stopNode } from '../measuring/cores.mjs';
import { built } from '../stage/built.mjs';
import { makeBuyer } from '../stage/buyer.mjs';
import {
  probingAt,
  putAuthority,
  putChain,
  putGateway,
  putPostgres,
  putRedis,
  putTlsHosts,
  putWorker,
} from '../stage/stage.mjs';
import { reportPath } from '../stage/stored-hosts.mjs';

const require = createRequire(import.meta.url);
const { generatePrivateKey, privateKeyToAddress } = require('viem/accounts');
const { keyHash, newKey } = built('libs/owners/src/index');
const { sealReceiver } = built('libs/storage/src/owners/sealed-receiver');
const { CHAINS } = built('libs/networks/src/index');

/** Names of the hostile hosts, more than there are free probes per hour. */
const NAMES = 700;
const ANSWER_MS = 50;
const MIB = 1_024 ** 2;
/** The number of watches of one hostile host and of the healthy one. The hostile one has alerts as often as allowed. */
const WATCHES = 3_072;
const ALERT_EVERY_MS = 36_000;
const ALERT = 'msg_soak';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The hostile hosts, each with several names. */
async function putHostileNames(stage) {
  const { ca, origins, documents } = await putHostileHosts(stage);
  const ports = [...origins, ...documents].map(({ port }) => port);
  const names = Array.from({ length: NAMES }, (_, index) => `hostile${index}.example.com`);
  const connectTo = names.map((name, index) => `${name}:443=127.0.0.1:${ports[index % ports.length]}`);
  return { ca, names, connectTo: connectTo.join(',') };
}

/**
 * Variables of gateway and worker: the limits of callers are those of a deployment, those of hosts have their own
 * tests.
 */
async function environment(stage, databaseUrl, { healthy, hostile, buyerKey, key }) {
  const caFile = putAuthority(stage, readFileSync(healthy.caFile, 'utf8'), hostile.ca);
  const senders = [privateKeyToAddress(key)];
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: await putRedis(stage),
    ...probingAt({ connectTo: `${healthy.connectTo},${hostile.connectTo}`, caFile }),
    FREE_PROBES_PER_SITE_DAY: '10000',
    TRUSTED_PROXIES: '127.0.0.1',
    X402_PAY_TO: privateKeyToAddress(generatePrivateKey()),
    X402_FACILITATOR_KEY: key,
    RPC_URL_8453: await putChain(stage, CHAINS['eip155:8453'], { buyer: privateKeyToAddress(buyerKey), senders }),
  };
}

/**
 * Free watches of a hostile host, whose receivers are hostile hosts on their own sites, and paid ones of the healthy
 * host.
 */
async function putWatches(stage, { pool, secrets }, hostile, healthy) {
  const vault = await secrets.vault();
  const receiversOf = (domain) => hostile.map((name) => sealReceiver(vault, domain, `https://${name}/`));
  const keys = Array.from({ length: WATCHES }, () => newKey('watch'));
  const { rows } = await pool.query(
    `WITH owner AS (INSERT INTO claim (id, domain, site, caller, key_hash, challenge, created_at)
       VALUES (gen_random_uuid(), $1, $1, '', 'soak', 'c', now()) RETURNING id)
     INSERT INTO watch (id, domain, host_site, url, site, types, key_hash, claim_id, state, created_at, ends_at)
     SELECT gen_random_uuid(), name, name, (CASE WHEN name = $1 THEN $3::text[] ELSE $6::text[] END)[1 + n % $4], n || '.example', '{host.changed}',
       hash || CASE WHEN name = $1 THEN '' ELSE name END, CASE WHEN name = $1 THEN owner.id END, 'active', now(), now() + interval '1 day'
     FROM owner, unnest(ARRAY[$1, $2]) name, unnest($5::text[]) WITH ORDINALITY AS key (hash, n) RETURNING id, key_hash AS hash`,
    [...[hostile[0], healthy, receiversOf(hostile[0]), hostile.length], ...[keys.map(keyHash), receiversOf(healthy)]],
  );
  const ofHash = new Map(keys.map((key) => [keyHash(key), key]));
  const change = (id) =>
    pool.query(
      `INSERT INTO alert (id, domain, type, at, fanned_out) VALUES ($1, $2, 'host.changed', now(), '00000000-0000-0000-0000-000000000000')`,
      [id, hostile[0]],
    );
  await change(ALERT);
  let changes = 0;
  const timer = setInterval(() => void change(`${ALERT}_${(changes += 1)}`).catch(() => undefined), ALERT_EVERY_MS);
  stage.later(() => clearInterval(timer));
  const own = rows.flatMap(({ id, hash }) => (ofHash.has(hash) ? [[id, ofHash.get(hash)]] : []));
  return { keys: Object.fromEntries(own), alert: ALERT };
}

export async function putWorld(stage) {
  const [buyerKey, key] = [generatePrivateKey(), generatePrivateKey()];
  const healthy = await putTlsHosts(stage, { count: 1, delayMs: ANSWER_MS });
  const hostile = await putHostileNames(stage);
  const { url: databaseUrl, database } = await putPostgres(stage);
  const env = await environment(stage, databaseUrl, { healthy, hostile, buyerKey, key });
  const worker = await putWorker(stage, env);
  const gateway = await putGateway(stage, env, { core: null });
  const time = makeBuyer(buyerKey);
  const refreshOf = (name) => `${gateway.url}${reportPath(name)}/refresh`;
  const one = async (sql) => (await database.pool.query(sql)).rows[0];
  let attackers;
  return {
    gateway,
    worker,
    healthy: healthy.names[0],
    hostile: hostile.names,
    /** Buys a probe; `{ ms, body }`. @throws if the answer is not 200 */
    buy: (name) => time(refreshOf(name)),
    async attack(minutes) {
      const [name] = healthy.names;
      const watches = await putWatches(stage, database, hostile.names, name);
      const input = {
        url: gateway.url,
        names: hostile.names,
        healthy: name,
        refresh: refreshOf(name),
        watches,
        minutes,
      };
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
    /** How the last sales of the healthy host spent their time by the ledger, in milliseconds. */
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
                  (SELECT sum(attempt) FROM alert_delivery) AS "messages tried",
                  (SELECT count(*) FROM payment_attempt WHERE state = 'settled') AS "payments settled",
                  (SELECT count(*) FROM payment_attempt WHERE state IN ('rejected', 'work_failed')) AS "payments refused and kept"`),
  };
}
