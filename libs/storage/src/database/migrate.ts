import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';

/** Any two processes that migrate the same database agree on this key. */
const MIGRATION_LOCK = 7_402_001;

/** Prisma's own bookkeeping, so that `prisma migrate status` and `deploy` agree with what was applied here. */
const BOOKKEEPING = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY, "checksum" VARCHAR(64) NOT NULL, "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT, "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(), "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`;

/**
 * Applies the migrations that are missing, each in a transaction of its own, in order of their folder names. Safe to
 * run from several processes at once. Returns the names applied.
 * @throws when a migration fails, or when one that was applied has been edited since.
 */
export async function migrate(
  databaseUrl: string,
  directory = join(process.cwd(), 'prisma', 'migrations'),
): Promise<readonly string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
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
