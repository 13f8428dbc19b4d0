import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { migrate, refuseOlderDatabase } from '@app/storage';
import { freshDatabase } from '../../../test/support/stack';
import { startPostgres } from '../../standalone/src/embedded/embedded-postgres';

/** Runs a built program to its end. */
async function run(command: string, env: Readonly<Record<string, string>>) {
  const [program, ...args] = command.split(' ');
  const child = spawn(process.execPath, [resolve(`dist/${program}.js`), ...args], {
    env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'silent', PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { said, code: code as number };
}

async function query(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const results: unknown = await client.query(sql).finally(() => client.end());
  return [results].flat().flatMap((result) => (result as { rows: unknown[] }).rows);
}

/** All tables with their columns, and the rows of the older database. */
const state = (url: string): Promise<readonly unknown[]> =>
  query(
    url,
    `SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2, 3;
     SELECT * FROM host; SELECT * FROM _prisma_migrations ORDER BY 1`,
  );

/** Creates a database with migrations that no longer exist. */
async function makeOlder(url: string, names: readonly string[]): Promise<void> {
  await query(
    url,
    `DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE host (domain TEXT PRIMARY KEY, form SMALLINT);
     INSERT INTO host VALUES ('shop.example.com', 4); CREATE TABLE _prisma_migrations (migration_name TEXT, checksum TEXT);
     INSERT INTO _prisma_migrations VALUES ${names.map((name) => `('${name}', 'c')`).join()}`,
  );
}

const OLDER = /^.*the database is older than the first release.* DATABASE_URL .* DATA_DIR .*\n$/;

describe('a database older than the first release', () => {
  it.each<readonly [string, readonly string[]]>([
    ['apps/gateway/src/main', ['20261121000000_first', '20261125231500_requests_sealed']],
    ['apps/worker/src/main', ['20261121000000_first']],
    ['libs/storage/src/database/migrate-main', ['20261121000000_first', '20261123062518_claims']],
    ['apps/cli/src/main opt-out add shop.example.com', ['20261121000000_first']],
    ['apps/gateway/src/main', ['20250101000000_init']],
  ])('ends %s with one sentence and is not changed', async (command, names) => {
    const url = await freshDatabase();
    await makeOlder(url, names);
    const before = await state(url);
    expect(before).toHaveLength(5 + names.length);
    const { said, code } = await run(command, { DATABASE_URL: url });
    expect(said).toMatch(OLDER);
    expect(code).not.toBe(0);
    expect(await state(url)).toEqual(before);
  });

  it('also ends npm start if it is in DATA_DIR', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'older-'));
    const postgres = () => startPostgres({ dir: join(dataDir, 'postgres') });
    const first = await postgres();
    await makeOlder(first.url, ['20261121000000_first']);
    const before = await state(first.url);
    await first.process.stop();
    const { said, code } = await run('apps/standalone/src/main', { DATA_DIR: dataDir });
    expect([said, code]).toEqual([expect.stringMatching(OLDER), 1]);
    const again = await postgres();
    expect(await state(again.url)).toEqual(before);
    await again.process.stop();
  });

  it('is neither a database of a later release nor an empty one', async () => {
    const url = await freshDatabase();
    await query(
      url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('a', 'c', '20990101000000_later')`,
    );
    await refuseOlderDatabase(url);
    expect(await migrate(url)).toEqual([]);
    await query(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await refuseOlderDatabase(url);
    expect((await migrate(url))[0]).toMatch(/_init$/);
  });
});
