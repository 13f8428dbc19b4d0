import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { loadConfig } from '@app/config';
import { ALERT_TYPES, keyHash, newKey } from '@app/owners';
import { ClaimRepository, Database, RunRepository } from '@app/storage';
import { createProducer, orderOf, queueConnection } from '@app/queue';
import { HostName } from '@app/hosts';
import { freePort } from '../../../apps/standalone/src/embedded/free-port';
import { fleetEnv } from '../chaos/fleet';
import { Random } from '../paywall-world/random';
import { stack } from '../stack';
import { says, startTestHost, type TestHost } from '../test-host';
import { until } from '../until';
import { putAlert, putWatch } from '../watches';
import { openReceiver } from '../../../libs/storage/src/owners/sealed-receiver';
import { Doomed, type Moment } from './doomed';
import { deliveryKey, startReceiver, type Receiver } from './receiver';

export interface KillOptions {
  readonly kills: number;
  readonly backend: 'redis' | 'postgres';
  /** Called with progress messages. */
  readonly say: (line: string) => void;
}

export interface KillResult {
  /** How many workers were killed at each moment, and how many gateways after committing an alert. */
  readonly kills: Readonly<Record<Moment | 'gateway', number>>;
  readonly alerts: number;
  /** Alerts times their watches. */
  readonly deliveries: number;
  /** How many of these the receiver answered more than once. */
  readonly repeated: number;
  /** Deliveries that the receiver never answered. */
  readonly lost: readonly string[];
  /** Messages to receivers that should get none. */
  readonly strays: readonly string[];
  /** Hosts whose alerts are not numbered without gaps, or not one per probe with a change. */
  readonly untold: readonly string[];
}

/** Enough hosts that none exceeds its alerts per hour. */
const HOSTS = 40;
const WATCHES_PER_HOST = 2;
const RECEIVERS = 'hooks.example.com';
const WORKER_MOMENTS: readonly Moment[] = ['taken', 'sent', 'answered', 'written'];
/** One in this many kills is of a gateway. */
const KILLS_PER_GATEWAY = 5;
/** The maximum number of times that a moment passes before the kill. */
const PASSES = 3;
/** Concurrent probes that cause alerts, and the pause between them in milliseconds. */
const PROBERS = 2;
const PAUSE_MS = 250;
/** A run whose worker was killed expires after this time, in milliseconds. */
const RUN_MS = 30_000;

interface World {
  readonly env: Readonly<Record<string, string>>;
  readonly database: Database;
  readonly receiver: Receiver;
  readonly workers: readonly Doomed[];
  readonly gateway: Doomed;
  readonly gatewayUrl: string;
  /** Keys of claims that allow watches, one per host. */
  readonly claimKeys: readonly string[];
}

/** The path of a watch's receiver. */
async function pathOf({ pool, secrets }: Database, watch: string): Promise<string> {
  const { rows } = await pool.query<{ domain: string; url: string }>('SELECT domain, url FROM watch WHERE id = $1', [
    watch,
  ]);
  const [row] = rows;
  if (!row) throw new Error(`there is no watch ${watch}`);
  return new URL(openReceiver(await secrets.vault(), row.domain, row.url)).pathname;
}

const nameOf = (host: number): string => `shop${host}.example.com`;

/**
 * Two workers and a gateway on a real database and queue: hosts change with every probe, and processes are killed
 * between the commit of an alert and its message, and between the message and its record. Then everything that was
 * written is compared with what the receivers answered.
 */
export async function killAround({ kills, backend, say }: KillOptions): Promise<KillResult> {
  const takers = new Map<string, Doomed>();
  const members = new Map<string, Doomed>();
  const [shops, receiver] = [await changingHosts(), await startReceiver(takers)];
  const connectTo = [
    ...Array.from({ length: HOSTS }, (_, host) => shops.as(nameOf(host))),
    receiver.host.as(RECEIVERS),
  ];
  const money = { payTo: privateKeyToAddress(generatePrivateKey()), facilitatorUrl: stack().facilitatorUrl };
  // Killed processes cause many errors in the others.
  const env = { ...(await fleetEnv(backend, { ...money, connectTo })), LOG_LEVEL: process.env['E2E_LOG'] ?? 'silent' };
  const database = new Database(env.DATABASE_URL, loadConfig(env).database);
  const listener = await listen(database, members, takers);
  try {
    const [claimKeys, idle] = [await putClaims(database), await putWatches(database)];
    const port = await freePort();
    const start = async (name: string, app: 'gateway' | 'worker'): Promise<Doomed> => {
      const url = new URL(env.DATABASE_URL);
      url.searchParams.set('application_name', name);
      const member = await Doomed.start(app, { ...env, PORT: String(port), DATABASE_URL: url.href });
      members.set(name, member);
      return member;
    };
    const world = {
      ...{ env, database, receiver, claimKeys, gatewayUrl: `http://127.0.0.1:${port}` },
      workers: [await start('worker-1', 'worker'), await start('worker-2', 'worker')],
      gateway: await start('gateway', 'gateway'),
    };
    const done = await killed(world, kills, say);
    await atRest(database, idle);
    return { kills: done, ...(await judged(world, idle)) };
  } finally {
    await Promise.all([...members.values()].map((member) => member.stop()));
    await listener.end();
    await Promise.all([database.close(), receiver.close(), shops.close()]);
  }
}

/** Hosts with a document that changes with each read. */
async function changingHosts(): Promise<TestHost> {
  let version = 0;
  return startTestHost({
    '/llms.txt': (request, response) => {
      version += 1;
      says(`# Shop ${version}\n\n- [a](https://shop.example.com/a)\n`, { 'content-type': 'text/plain' })(
        request,
        response,
      );
    },
  });
}

/** The database reports which process committed an alert or took a delivery, and so reached that moment. */
async function listen(
  database: Database,
  members: ReadonlyMap<string, Doomed>,
  takers: Map<string, Doomed>,
): Promise<Client> {
  await database.pool.query(`
    CREATE FUNCTION tell_moment() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_notify('moment', json_build_object('moment', TG_ARGV[0], 'by', current_setting('application_name'),
        'watch', to_jsonb(NEW)->>'watch_id', 'alert', to_jsonb(NEW)->>'alert_id')::text);
      RETURN NULL; END $$;
    CREATE TRIGGER written AFTER INSERT ON alert FOR EACH ROW EXECUTE FUNCTION tell_moment('written');
    CREATE TRIGGER taken AFTER UPDATE ON alert_delivery FOR EACH ROW WHEN (NEW.attempt > OLD.attempt)
      EXECUTE FUNCTION tell_moment('taken');`);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const hear = async (payload = ''): Promise<void> => {
    const said = JSON.parse(payload) as Readonly<Record<'by' | 'watch' | 'alert', string>> & { moment: Moment };
    const member = members.get(said.by);
    if (!member) return;
    if (said.moment === 'taken') takers.set(deliveryKey(await pathOf(database, said.watch), said.alert), member);
    member.comesTo(said.moment);
  };
  client.on('notification', ({ payload }) => void hear(payload));
  await client.query('LISTEN moment');
  return client;
}

/** For each host, the key of a claim that allows watches and has no check due. */
async function putClaims(database: Database): Promise<readonly string[]> {
  const [claims, keys] = [new ClaimRepository(database, 0), Array.from({ length: HOSTS }, () => newKey('claim'))];
  for (const [host, key] of keys.entries()) await claims.open(nameOf(host), keyHash(key), 'c');
  await database.pool.query(
    `UPDATE claim SET level = 'dns', level_since = now() - interval '1 hour', last_seen_at = now(), asked_at = now(), checked_at = now()`,
  );
  return keys;
}

/** Watches of every host, and some without events, whose ids are returned. */
async function putWatches(database: Database): Promise<readonly string[]> {
  const put = (path: string, domain: string, columns: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    putWatch(database, {
      ...{ domain, url: `https://${RECEIVERS}/${path}`, site: path, types: [...ALERT_TYPES] },
      ...columns,
    });
  for (let host = 0; host < HOSTS; host += 1) {
    for (let n = 0; n < WATCHES_PER_HOST; n += 1) await put(`of-${host}-${n}`, nameOf(host));
  }
  const hour = new Date(Date.now() + 3_600_000);
  const [owing, owed] = [
    [
      await put('ended', nameOf(0), { state: 'ended', reason: 'gone' }),
      await put('pending', nameOf(0), { state: 'pending' }),
      await put('paused', 'other.example.com', { paused_until: hour }),
    ],
    [
      await put('used-up', nameOf(0), { alerts_left: 0 }),
      await put('of-another-type', nameOf(0), { types: ['host.price_changed'] }),
    ],
  ];
  for (const watch of owing) await putAlert(database, watch);
  return [...owing, ...owed];
}

/** Kills processes in turn while hosts are probed and watches are created. @returns how many at each moment */
async function killed(world: World, kills: number, say: KillOptions['say']): Promise<KillResult['kills']> {
  const done = { written: 0, taken: 0, sent: 0, answered: 0, gateway: 0 };
  const ofGateway = Math.floor(kills / KILLS_PER_GATEWAY);
  const count = (what: keyof typeof done): void => {
    done[what] += 1;
    const all = Object.values(done).reduce((sum, times) => sum + times, 0);
    if (all % 20 === 0) say(`${all} processes killed`);
  };
  let [next, over] = [0, false];
  const killWorkers = async (worker: Doomed): Promise<void> => {
    const random = new Random(next);
    for (let n = next++; n < kills - ofGateway && !over; n = next++) {
      const moment = WORKER_MOMENTS[n % WORKER_MOMENTS.length]!;
      await worker.dieAt(moment, random.below(PASSES + 1));
      count(moment);
    }
  };
  const killGateways = async (): Promise<void> => {
    for (let n = 0; n < ofGateway && !over; n += 1) {
      await Promise.all([world.gateway.dieAt('written'), beginWatch(world, n)]);
      count('gateway');
    }
  };
  const probing = Promise.all(Array.from({ length: PROBERS }, (_, lane) => probe(world, lane, () => over)));
  try {
    await Promise.all([...world.workers.map(killWorkers), killGateways()]);
  } finally {
    over = true;
    await probing;
  }
  return done;
}

/** Creates a watch through the gateway, which is killed before it answers. @throws if it answers with an error */
async function beginWatch({ gatewayUrl, claimKeys }: World, n: number): Promise<void> {
  const host = n % HOSTS;
  const body = { domain: nameOf(host), url: `https://${RECEIVERS}/begun-${n}`, types: ALERT_TYPES.slice(0, 1) };
  const begin = (): Promise<Response | undefined> =>
    fetch(`${gatewayUrl}/api/v1/watches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${claimKeys[host]}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => undefined);
  let answer = await begin();
  while (answer?.status === 503) answer = await begin(); // on a busy machine the database was too slow
  if (answer && !answer.ok) throw new Error(`a watch is answered ${answer.status}: ${await answer.text()}`);
}

/** Probes hosts one after the other. A probe whose worker is killed is abandoned. */
async function probe({ env, database }: World, lane: number, over: () => boolean): Promise<void> {
  const runs = new RunRepository(database);
  const connection = queueConnection(env['REDIS_URL'] ?? null, env['DATABASE_URL']!);
  const producer = createProducer(connection, 'live', () => undefined);
  for (let host = lane; !over(); host = (host + PROBERS) % HOSTS) {
    const name = HostName.parse(nameOf(host));
    if (!name.ok) throw new Error(`${nameOf(host)} is no host name`);
    const { run } = await runs.open(orderOf({ kind: 'host', host: name.host }), new Date(Date.now() + RUN_MS));
    await producer.add(`host ${name.host.ascii}`, { runId: run.id });
    const leftAt = Date.now() + RUN_MS / 3;
    while (Date.now() < leftAt && !over() && (await runs.find(run.id))?.status !== 'done') await sleep(PAUSE_MS);
  }
  await producer.close();
}

/** Whether no run is in progress and nothing is due, except what must not be sent. */
async function atRest(database: Database, idle: readonly string[]): Promise<void> {
  await until('nothing is due', async () => {
    const { rows } = await database.pool.query<{ open: number }>(
      `SELECT ((SELECT count(*) FROM probe_run WHERE status IN ('queued', 'running') AND deadline_at > now())
         + (SELECT count(*) FROM alert WHERE fanned_out IS NOT NULL)
         + (SELECT count(*) FROM alert_delivery WHERE state = 'due' AND watch_id <> ALL($1)))::int AS open`,
      [idle],
    );
    await sleep(PAUSE_MS);
    return rows[0]?.open === 0;
  });
}

async function judged({ database, receiver }: World, idle: readonly string[]): Promise<Omit<KillResult, 'kills'>> {
  const { rows } = await database.pool.query<{ watch: string; alert: string }>(
    'SELECT watch_id AS watch, alert_id AS alert FROM alert_delivery WHERE watch_id <> ALL($1)',
    [idle],
  );
  const paths = new Map<string, string>();
  for (const { watch } of rows) if (!paths.has(watch)) paths.set(watch, await pathOf(database, watch));
  const wanted = new Set(rows.map(({ watch, alert }) => deliveryKey(paths.get(watch)!, alert)));
  const sent = receiver.host.received.map(({ url, headers }) => deliveryKey(url ?? '', String(headers['webhook-id'])));
  const hosts = await database.pool.query<{ domain: string }>(
    `SELECT domain FROM watched_host h CROSS JOIN LATERAL (
       SELECT count(*) AS all, coalesce(max(a.seq), 0) AS last, count(*) FILTER (WHERE a.type = 'host.changed') AS changed
       FROM alert a WHERE a.domain = h.domain AND a.seq IS NOT NULL) told
     WHERE told.all IS DISTINCT FROM h.seq OR told.last IS DISTINCT FROM h.seq
       OR told.changed <> (SELECT count(DISTINCT at) FROM change_event e WHERE e.domain = h.domain)`,
  );
  return {
    alerts: new Set(rows.map(({ alert }) => alert)).size,
    deliveries: wanted.size,
    repeated: [...receiver.answered.values()].filter((times) => times > 1).length,
    lost: [...wanted].filter((key) => !receiver.answered.has(key)),
    strays: sent.filter((key) => !wanted.has(key)),
    untold: hosts.rows.map(({ domain }) => domain),
  };
}
