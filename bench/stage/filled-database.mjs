// A database filled with any number of hosts, events and payment options.
import { built, openDatabase } from './built.mjs';
import { probeApi } from './stored-hosts.mjs';

const { migrate } = built('libs/storage/src/index');

/** Events per host, and the distance between payable hosts. */
const EVENTS_PER_HOST = 10;
const PAYABLE_EVERY = 3;
/** Rows per statement: a single statement would hold its triggers and memory until the end. */
const CHUNK = 100_000;

/**
 * Creates a database next to that of `url`. Its tables are unlogged, because a bench need not survive a crash. All
 * reports have the same text, which the server copies in stored form; names are in numeric order.
 */
export async function putFilledDatabase(stage, url, name, hosts) {
  const owner = openDatabase(url);
  await owner.pool.query(`CREATE DATABASE ${name}`);
  await owner.close();
  const own = new URL(url);
  own.pathname = `/${name}`;
  await migrate(own.href);
  const database = openDatabase(own.href);
  stage.later(() => database.close());
  const { pool } = database;
  for (const table of ['host', 'change_event', 'host_rail']) await pool.query(`ALTER TABLE ${table} SET UNLOGGED`);
  const { facts, rails } = probeApi();
  await pool.query('CREATE UNLOGGED TABLE report_text (facts text)');
  await pool.query('INSERT INTO report_text VALUES ($1)', [facts]);
  for (let from = 1; from <= hosts; from += CHUNK) {
    await fill(pool, from, Math.min(hosts, from + CHUNK - 1), rails[0]);
  }
  await pool.query('VACUUM ANALYZE host, change_event, host_rail');
  await writeOut(pool, name);
  return own.href;
}

/**
 * Makes the server write its pages to disk, as after a longer run; otherwise every page that is read first evicts
 * another one. A checkpoint skips unlogged tables, except when a database is copied by files.
 */
async function writeOut(pool, name) {
  await pool.query(`CREATE DATABASE written_${name} STRATEGY file_copy`);
  await pool.query(`DROP DATABASE written_${name}`);
}

async function fill(pool, from, to, rail) {
  const names = `(SELECT i, 'h' || i || '.example.com' AS name FROM generate_series(${from}, ${to}) i) names`;
  await pool.query(
    `INSERT INTO host (domain, site, version, facts, probed_at, callability_probed_at, reachable, payable, updated_at)
     SELECT name, 'example.com', 1, facts, now(), now(), true, i % ${PAYABLE_EVERY} = 0, now() FROM ${names}, report_text`,
  );
  await pool.query(
    `INSERT INTO change_event (domain, at, protocol, kind, summary, before, after)
     SELECT name, now() - n * interval '1 day', 'llms', 'details_changed', 'llms: the map lists other pages',
            '{"status": "present", "links": 12}', '{"status": "present", "links": 13}'
     FROM generate_series(1, ${EVENTS_PER_HOST}) n, ${names}`,
  );
  await pool.query(
    `INSERT INTO host_rail (domain, position, protocol, network, amount_usd, resource, payable, rail, observed_at)
     SELECT name, 0, 'x402', $1, $2, 'https://' || name || '/api', true, $3, now()
     FROM ${names} WHERE i % ${PAYABLE_EVERY} = 0`,
    [rail.network, rail.amountUsd, JSON.stringify(rail)],
  );
}
