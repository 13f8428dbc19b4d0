// Measures delivery times of alerts to healthy receivers, without and with hostile ones: a deployed worker with its own
// Postgres.
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startNode, stopNode } from '../../bench/measuring/cores.mjs';
import { at, finding, median, tableOf } from '../../bench/measuring/figures.mjs';
import { built } from '../../bench/stage/built.mjs';
import { onStage, putAuthority, putPostgres, putWorker } from '../../bench/stage/stage.mjs';

const { newAlertId, newWebhookSecret } = built('libs/owners/src/index');
const { DeliveryRepository, sealSecret } = built('libs/storage/src/index');
const { sealReceiver } = built('libs/storage/src/owners/sealed-receiver');

const RECEIVERS = fileURLToPath(new URL('./receivers.mjs', import.meta.url));
const HEALTHY = 10;
const HOSTILE = 50;
const HOSTILE_KINDS = [
  'takes 60 s',
  'ends after 14 s',
  'drips bytes',
  'redirects inside',
  'answers 500',
  'resets',
  'never answers TLS',
];
/** How often the healthy receivers together get an alert, in milliseconds, and each hostile one. */
const HEALTHY_EVERY_MS = 100;
const HOSTILE_EVERY_MS = 3_000;
/** How many alerts are waiting for each hostile one at the start. */
const BACKLOG = 20;
const AT_MOST_MS = 2_000;
const DELIVERED_WITHIN_MS = 60_000;

const named = (kind, many, kindOf) => Array.from({ length: many }, (_, n) => [kindOf(n), `${kind}${n}.example`]);
const NAMES = [
  ...named('healthy', HEALTHY, () => 'healthy'),
  ...named('hostile', HOSTILE, (n) => HOSTILE_KINDS[n % HOSTILE_KINDS.length]),
];

/** Inserts an active watch with a confirmed receiver; returns its id. */
async function putWatch({ pool, secrets }, sealing, name) {
  const id = randomUUID();
  const url = sealReceiver(await secrets.vault(), id, `https://${name}/`);
  await pool.query(
    `INSERT INTO watch (id, domain, host_site, url, site, types, key_hash, secret, state, created_at, ends_at)
     VALUES ($1, $1::text, $1::text, $2, $3, '{host.changed}', $1::text, $4, 'active', now(), now() + interval '1 day')`,
    [id, url, name, sealSecret(sealing, id, newWebhookSecret())],
  );
  return id;
}

/** Writes an alert like the transaction of a probe. The host of each watch is named after the watch's id. */
const write = ({ pool }, domain) =>
  pool.query(
    `INSERT INTO alert (id, domain, seq, type, at, fanned_out)
     VALUES ($1, $2, 1, 'host.changed', now(), '00000000-0000-0000-0000-000000000000')`,
    [newAlertId(), domain],
  );

/** Writes alerts for each of the watches in turn, at random times with the mean `everyMs`. */
async function keepWriting(database, watches, everyMs, over) {
  for (let n = 0; !over(n); n += 1) {
    await write(database, watches[n % watches.length]);
    await delay(Math.random() * 2 * everyMs);
  }
}

/**
 * The duration of each delivery that started since then, from its due time to the commit of its result, in
 * milliseconds.
 */
async function timesOf(database, watches, since) {
  const until = Date.now() + DELIVERED_WITHIN_MS;
  for (;;) {
    const { rows } = await database.pool.query(
      `SELECT d.state, extract(epoch FROM pg_xact_commit_timestamp(d.xmin) - a.at)::float8 * 1000 AS ms
       FROM alert_delivery d JOIN alert a ON a.id = d.alert_id WHERE watch_id = ANY($1) AND a.at >= $2`,
      [watches, since],
    );
    const delivered = rows.filter(({ state }) => state === 'delivered').map(({ ms }) => ms);
    if (delivered.length === rows.length || Date.now() > until) return delivered;
    await delay(500);
  }
}

async function phase(database, watches, alerts) {
  const [{ since }] = (await database.pool.query('SELECT now() AS since')).rows;
  await keepWriting(database, watches, HEALTHY_EVERY_MS, (n) => n === alerts);
  return { times: await timesOf(database, watches, since), load: loadavg()[0] };
}

/** The results of attempts at the hostile receivers, by kind. */
async function hostileEnds(database, kinds) {
  const { rows } = await database.pool.query(
    `SELECT site, coalesce(outcome, 'under way') AS outcome, count(*)::int AS alerts, sum(greatest(attempt, 1))::int AS attempts
     FROM alert_delivery JOIN watch ON id = watch_id WHERE attempt > 0 AND site LIKE 'hostile%' GROUP BY 1, 2`,
  );
  return HOSTILE_KINDS.map((kind) => {
    const own = rows.filter(({ site }) => kinds.get(site) === kind);
    const attempts = own.reduce((sum, row) => sum + row.attempts, 0);
    return { kind, attempts, outcomes: [...new Set(own.map(({ outcome }) => outcome))].sort() };
  });
}

const rowsOf = (phases, ends, alerts) => [
  ...Object.entries(phases).flatMap(([when, { times, load }]) => [
    finding(`alert to a healthy receiver ${when}, p99`, at(times, 0.99), 'ms', {
      target: { atMost: AT_MOST_MS },
      reference: `median ${median(times).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms, load ${load.toFixed(1)}`,
    }),
    finding('  delivered', times.length, '', { target: { atLeast: alerts } }),
  ]),
  ...ends.map(({ kind, attempts, outcomes }) =>
    finding(`attempts at one that ${kind}`, attempts, '', { target: { atLeast: 1 }, reference: outcomes.join(', ') }),
  ),
];

/** Prints the figures. @returns whether all alerts were delivered and p99 stayed under two seconds */
export function pace(alerts) {
  return onStage(async (stage) => {
    const { child, message } = await startNode(RECEIVERS, { input: NAMES });
    stage.later(() => stopNode(child, 'SIGKILL'));
    const { url, database } = await putPostgres(stage, { track_commit_timestamp: 'on' });
    await putWorker(stage, {
      DATABASE_URL: url,
      PROBE_CONNECT_TO: message.connectTo,
      PROBE_CA_FILE: putAuthority(stage, message.ca),
    });
    const [{ sealing }] = await new DeliveryRepository(database).keys();
    const ids = await Promise.all(NAMES.map(([, name]) => putWatch(database, sealing, name)));
    const [healthy, hostile] = [ids.slice(0, HEALTHY), ids.slice(HEALTHY)];
    await phase(database, healthy, HEALTHY); // the first ones load what later ones reuse

    const calm = await phase(database, healthy, alerts);
    let over = false;
    for (const watch of hostile.flatMap((id) => Array.from({ length: BACKLOG }, () => id)))
      await write(database, watch);
    const storm = keepWriting(database, hostile, HOSTILE_EVERY_MS / HOSTILE, () => over);
    const beside = await phase(database, healthy, alerts);
    over = true;
    await storm;

    const ends = await hostileEnds(database, new Map(NAMES.map(([kind, name]) => [name, kind])));
    const rows = rowsOf({ 'in calm': calm, [`beside ${HOSTILE} hostile ones`]: beside }, ends, alerts);
    process.stdout.write(tableOf(rows));
    return rows.every(({ met }) => met);
  });
}
