import { z } from 'zod';
import { Prisma } from '../generated/client';
import type { Transaction } from './database';

/**
 * The time of the database, which all processes use because their own clocks may differ. Uses SQL to read that clock.
 */
export async function timeOf(tx: Transaction): Promise<Date> {
  return timeIn(await tx.$queryRaw`SELECT now()`);
}

/**
 * Waits for the lock with this name, and holds it until the end of the transaction. Uses SQL for the lock.
 * @returns the time of the database after locking, so that consecutive holders get increasing times
 */
export async function takeTurn(tx: Transaction, name: string): Promise<Date> {
  return timeIn(
    await tx.$queryRaw`SELECT CASE
      WHEN pg_advisory_xact_lock(hashtextextended(${name}, 0))::text IS NOT NULL THEN clock_timestamp() END AS now`,
  );
}

/**
 * Locks a row until the end of the transaction. Uses SQL for the lock.
 * @returns the time of the database; undefined if there is no such row
 */
export async function holdRow(tx: Transaction, table: 'claim' | 'watch', id: string): Promise<Date | undefined> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT now() FROM ${Prisma.raw(table)} WHERE id = ${id}::uuid FOR UPDATE`;
  return rows.length === 0 ? undefined : timeIn(rows);
}

const Times = z.tuple([z.object({ now: z.date() })]);

function timeIn(rows: unknown): Date {
  return Times.parse(rows)[0].now;
}
