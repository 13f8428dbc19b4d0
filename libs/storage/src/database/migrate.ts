import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type Pool } from 'pg';
import { Database } from './database';

/** The advisory lock of migrations, shared by all processes. */
const MIGRATION_LOCK = 7_402_001;

/** Prisma's own table, so that `prisma migrate status` and `deploy` agree with what was applied here. */
const BOOKKEEPING = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY, "checksum" VARCHAR(64) NOT NULL, "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT, "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(), "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`;

/** The first migration. A database with other migrations but without this one is older than the first release. */
const FIRST = '20261126000000_init';

/** The tables are from before the first release. No release reads or changes them. */
class OlderDatabaseError extends Error {
  override readonly name = 'OlderDatabaseError';
}

/**
 * Must run before any other query of a process.
 * @throws {OlderDatabaseError} if the database is older than the first release; it is not changed
 * @throws Error that names DATABASE_URL if the server cannot be reached or refuses the connection
 */
export async function refuseOlderDatabase(databaseUrl: string): Promise<void> {
  const database = new Database(databaseUrl, { maxConnections: 1 });
  try {
    (await database.pool.connect().catch(unreachable(databaseUrl))).release();
    await refuseOlder(database.pool);
  } finally {
    await database.close();
  }
}

/** Turns a connection error into a sentence that names the server, without its password. */
function unreachable(databaseUrl: string): (error: unknown) => never {
  return (error) => {
    const { host, pathname } = new URL(databaseUrl);
    const reasons = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
    const reason = reasons.map((one) => (one instanceof Error ? one.message : String(one))).join('; ');
    throw new Error(`Cannot connect to the database at ${host}${pathname} (DATABASE_URL): ${reason}`, { cause: error });
  };
}

async function refuseOlder(client: Pick<Pool, 'query'>): Promise<void> {
  const books = await client.query(`SELECT WHERE to_regclass('_prisma_migrations') IS NOT NULL`);
  if (books.rowCount === 0) return;
  const sql = 'SELECT bool_and(migration_name <> $1) AS older FROM _prisma_migrations';
  const { rows } = await client.query<{ older: boolean | null }>(sql, [FIRST]);
  if (rows[0]?.older)
    throw new OlderDatabaseError(
      'the database is older than the first release and cannot be migrated; ' +
        'set DATABASE_URL to an empty database, or DATA_DIR to another directory',
    );
}

/**
 * Applies the missing migrations, each in its own transaction, in the order of their folder names. Safe to run in
 * several processes at once. Returns the names of the applied migrations.
 * @throws if a migration fails, if an applied one was edited since, if the server cannot be reached, or {@link
 * OlderDatabaseError}.
 */
export async function migrate(
  databaseUrl: string,
  directory = join(process.cwd(), 'prisma', 'migrations'),
): Promise<readonly string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect().catch(unreachable(databaseUrl));
  try {
    await refuseOlder(client);
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(BOOKKEEPING);
    const applied: string[] = [];
    for (const name of await migrationNames(directory)) {
      if (await applyOnce(client, name, await readFile(join(directory, name, 'migration.sql'), 'utf8')))
        applied.push(name);
    }
    return applied;
  } finally {
    await client.end();
  }
}

async function migrationNames(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function applyOnce(client: Client, name: string, sql: string): Promise<boolean> {
  const checksum = createHash('sha256').update(sql).digest('hex');
  const known = await client.query<{ checksum: string }>(
    'SELECT "checksum" FROM "_prisma_migrations" WHERE "migration_name" = $1 AND "rolled_back_at" IS NULL',
    [name],
  );
  if (known.rows[0]) {
    if (known.rows[0].checksum !== checksum) throw new Error(`migration ${name} was edited after it was applied`);
    return false;
  }
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query(
      `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at", "applied_steps_count")
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
    return true;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
