import { z } from 'zod';
import { Prisma } from '../generated/client';
import type { Transaction } from './database';

/** The time of the database, by which all processes go: their own clocks may differ. SQL for that clock. */
export async function timeOf(tx: Transaction): Promise<Date> {
  return timeIn(await tx.$queryRaw`SELECT now()`);
}

/**
 * Waits until no other transaction holds the name, and holds it to the end of this one. SQL for the lock.
 * @returns the time of the database once it is held: those that hold it one after the other get times in that order
 */
export async function takeTurn(tx: Transaction, name: string): Promise<Date> {
  return timeIn(
    await tx.$queryRaw`SELECT CASE
      WHEN pg_advisory_xact_lock(hashtextextended(${name}, 0))::text IS NOT NULL THEN clock_timestamp() END AS now`,
  );
}

/**
 * Waits for a row, and locks it to the end of the transaction. SQL for the lock.
 * @returns the time of the database; undefined when there is no such row
 */
export async function holdRow(tx: Transaction, table: 'claim' | 'watch', id: string): Promise<Date | undefined> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT now() FROM ${Prisma.raw(table)} WHERE id = ${id}::uuid FOR UPDATE`;
  return rows.length === 0 ? undefined : timeIn(rows);
}

const Times = z.tuple([z.object({ now: z.date() })]);

function timeIn(rows: unknown): Date {
  return Times.parse(rows)[0].now;
}
