// `npm run census:figures [-- <hosts>]`: a million synthetic hosts, counted by the service in Postgres and by DuckDB in the dataset that is
// written of them. Fails where a figure differs, or where DuckDB takes a minute. Some minutes and 4 GB on the disk of the temporary directory.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { built } from '../../bench/stage/built.mjs';
import { onStage } from '../../bench/stage/stage.mjs';
import { putPostgres } from '../../bench/stage/storage.mjs';
import { hostOf } from './hosts.mjs';

const { FIGURES, writeDataset } = built('libs/census/src/index');
const { CensusDayRepository, CensusRepository, Database } = built('libs/persistence/src/index');

const HOSTS = Number(process.argv[2] ?? 1_000_000);
const [BEFORE, DAY] = ['2026-11-16', '2026-11-23'];
const AT_MOST_SEC = 60;
const PAGE = 5_000;

const say = (text) => process.stdout.write(`${text}\n`);

/** What `work` gives, and how many seconds it took. */
async function timed(what, work) {
  const started = performance.now();
  const result = await work();
  const seconds = (performance.now() - started) / 1_000;
  say(`${what}: ${seconds.toFixed(1)} s`);
  return { result, seconds };
}

async function* hostsOf(day, count) {
  for (let at = 0; at < count; at += 1) yield hostOf(at, day);
}

/** Puts hosts with their outcomes into the table of censuses. */
async function fill(database, day, count) {
  const census = new CensusRepository(database);
  await census.add(day, 'synthetic', 'first', [{ domain: 'first.example', site: 'first.example', shard: 0 }]);
  await database.pool.query('DELETE FROM census_host WHERE day = $1', [day]);
  for (let from = 0; from < count; from += PAGE) {
    const rows = Array.from({ length: Math.min(PAGE, count - from) }, (_, at) => hostOf(from + at, day));
    await database.pool.query(
      `INSERT INTO census_host (day, domain, site, shard, list, depth, outcome, probed_at, finding)
       SELECT $1, row ->> 'domain', row ->> 'site', 0, 'synthetic', 'first', row ->> 'outcome', now(), nullif(row -> 'finding', 'null')
       FROM jsonb_array_elements($2::jsonb) AS row`,
      [day, JSON.stringify(rows)],
    );
  }
}

/** The figures as DuckDB counts them, by the files of a release. */
async function recount(folder) {
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  const sqlOf = (name) => readFileSync(join(folder, 'figures', `${name}.sql`), 'utf8');
  process.chdir(folder);
  await duckdb.run(sqlOf('tables'));
  const figures = {};
  for (const { id } of FIGURES) {
    const rows = (await duckdb.runAndReadAll(sqlOf(id))).getRowObjectsJson();
    figures[id] = rows.map(({ name, hosts, total }) => ({ name, hosts: Number(hosts), total: Number(total) }));
  }
  return figures;
}

const folder = mkdtempSync(join(tmpdir(), 'census-figures-'));
try {
  await onStage(async (stage) => {
    const { url } = await putPostgres(stage, { fsync: 'off', max_wal_size: '8GB', autovacuum: 'off' });
    const database = new Database(url, { statementMs: null });
    stage.later(() => database.close());
    const days = new CensusDayRepository(database);
    for (const [day, count] of [
      [BEFORE, Math.ceil(HOSTS / 10)],
      [DAY, HOSTS],
    ]) {
      await timed(`${count} hosts of ${day} into Postgres`, () => fill(database, day, count));
      await timed('counted by the service', () => days.measure(day, [], FIGURES));
      const facts = { day, version: '0', vantage: 'synthetic', optedOut: () => 0 };
      await timed('written as Parquet', () => writeDataset(folder, hostsOf(day, count), facts));
    }
    const { result: recounted, seconds } = await timed('counted by DuckDB', () => recount(folder));
    const [{ figures }] = await days.newest(1);
    const wrong = FIGURES.filter(
      ({ id }) => !isDeepStrictEqual(figures[id], recounted[id]) || recounted[id].length === 0,
    );
    for (const { id } of wrong) say(`${id} differs:\n${JSON.stringify(figures[id])}\n${JSON.stringify(recounted[id])}`);
    const inTime = seconds < AT_MOST_SEC;
    say(
      `${FIGURES.length - wrong.length} of ${FIGURES.length} figures agree${inTime ? '' : `, but DuckDB took longer than ${AT_MOST_SEC} s`}`,
    );
    process.exitCode = wrong.length === 0 && inTime ? 0 : 1;
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
