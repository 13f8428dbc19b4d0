import type { DayOutcomes, historyDays, HostSample } from '@app/reports';
import type { Transaction } from '../database/database';
import { Prisma, type HostDay } from '../generated/client';

const QUARTER_MS = 900_000;
/** The bits of a quarter of an hour in the bitmap: one if a probe found the host up, one if it found it down. */
const BITS = { up: 1, down: 2, unknown: 0 } as const;

/** Adds a sample to the row of its host and day. Uses SQL to add to an existing row. */
export async function writeHostDay(tx: Transaction, domain: string, sample: HostSample): Promise<void> {
  const { at, outcome, bought } = sample;
  const reason = sample.reason ?? null;
  const quarter = Math.floor((at.getTime() % 86_400_000) / QUARTER_MS);
  const [byte, bits] = [Math.floor(quarter / 4), BITS[outcome] << ((quarter % 4) * 2)];
  const counted = (name: HostSample['outcome'], paid: boolean): number =>
    outcome === name && (name === 'unknown' || bought === paid) ? 1 : 0;
  await tx.$executeRaw`
    INSERT INTO host_day AS d (domain, day, up, down, unknown, bought_up, bought_down, first, last, reasons, bitmap)
    VALUES (${domain}, (${at}::timestamptz AT TIME ZONE 'UTC')::date, ${counted('up', false)}, ${counted('down', false)},
            ${counted('unknown', false)}, ${counted('up', true)}, ${counted('down', true)}, ${at}::timestamptz, ${at}::timestamptz,
            CASE WHEN ${reason}::text IS NULL THEN '{}'::jsonb ELSE jsonb_build_object(${reason}::text, 1) END,
            set_byte(decode(repeat('00', 24), 'hex'), ${byte}, ${bits}))
    ON CONFLICT (domain, day) DO UPDATE SET
      up = d.up + excluded.up, down = d.down + excluded.down, unknown = d.unknown + excluded.unknown,
      bought_up = d.bought_up + excluded.bought_up, bought_down = d.bought_down + excluded.bought_down,
      first = least(d.first, excluded.first), last = greatest(d.last, excluded.last),
      reasons = CASE WHEN ${reason}::text IS NULL THEN d.reasons ELSE
        jsonb_set(d.reasons, ARRAY[${reason}::text], to_jsonb(coalesce((d.reasons->>${reason}::text)::int, 0) + 1)) END,
      bitmap = set_byte(d.bitmap, ${byte}, get_byte(d.bitmap, ${byte}) | ${bits})`;
}

/**
 * SQL for the counts of a host over a span of days, as one row, read by primary key. Quarters of an hour are only
 * included if the host was down at least once.
 */
export const countedDays = ({ from, to }: ReturnType<typeof historyDays>): Prisma.Sql => Prisma.sql`
  SELECT coalesce(sum(d.up), 0)::int AS up, coalesce(sum(d.down), 0)::int AS down,
         coalesce(sum(d.unknown), 0)::int AS unknown,
         CASE WHEN sum(d.down + d.bought_down) > 0 THEN string_agg(d.bitmap, ''::bytea ORDER BY d.day) END AS quarters,
         CASE WHEN sum(d.down + d.bought_down) > 0 THEN array_agg(d.day::text ORDER BY d.day) END AS days
  FROM host_day d WHERE d.domain = host.domain AND d.day BETWEEN ${from}::date AND ${to}::date`;

/** A row of {@link countedDays}. */
export interface CountedRow extends Pick<HostDay, 'up' | 'down' | 'unknown'> {
  readonly quarters: Buffer | null;
  readonly days: readonly string[] | null;
}

export function outcomesOf(row: CountedRow): DayOutcomes {
  const { up, down, unknown, quarters, days } = row;
  const width = (quarters?.length ?? 0) / (days?.length ?? 1);
  return {
    up,
    down,
    unknown,
    days: (days ?? []).map((day, index) => ({
      beginsAt: Date.parse(day),
      quarters: quarters?.subarray(index * width, (index + 1) * width) ?? new Uint8Array(),
    })),
  };
}
