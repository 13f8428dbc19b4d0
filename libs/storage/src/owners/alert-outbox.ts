import { alertsOf, newAlertId, type AlertType, type ChangesOfAlert } from '@app/owners';
import type { HostSample } from '@app/reports';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database';
import { json } from '../database/json';
import { Prisma } from '../generated/client';

/** SQL: whether a watch `w` was active at a given time and gets alerts. */
const activeAt = (
  at: Prisma.Sql,
): Prisma.Sql => Prisma.sql`w.state = 'active' AND w.ends_at > ${at} AND (w.alerts_left IS NULL OR w.alerts_left > 0)
  AND NOT EXISTS (SELECT FROM subscription s WHERE s.id = w.subscription_id AND s.revoked_at IS NOT NULL)`;

/** SQL: whether a watch `w` gets alerts about current events. */
export const WATCH_IS_ACTIVE = activeAt(Prisma.sql`now()`);

/** The same at the database's time of a transaction. */
const activeNow = (at: Date) =>
  ({
    ...{ state: 'active', endsAt: { gt: at }, OR: [{ alertsLeft: null }, { alertsLeft: { gt: 0 } }] },
    NOT: { subscription: { revokedAt: { not: null } } },
  }) satisfies Prisma.WatchWhereInput;

/** SQL: whether the payment of a watch is in one of these states, or the watch was free. */
const paymentIsIn = (watch: string, states: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  ${Prisma.raw(watch)}.payment_digest IS NULL OR EXISTS (SELECT FROM payment_attempt p
    WHERE p.payload_digest = ${Prisma.raw(watch)}.payment_digest AND p.sku = 'watch' AND p.state IN (${states})))`;
/**
 * SQL: whether a watch is paid. A sale does its work before the money moves; until then, a watch sends nothing and does
 * not rank as paid.
 */
export const watchIsPaid = (watch: string): Prisma.Sql => paymentIsIn(watch, Prisma.sql`'settled'`);
/** SQL: whether a watch was paid, or its payment may still be settled. */
export const watchMayBePaid = (watch: string): Prisma.Sql =>
  paymentIsIn(
    watch,
    Prisma.sql`'received', 'verified', 'working', 'answer_stored', 'settling', 'settle_unknown', 'settled'`,
  );

/** For how many watches one transaction writes deliveries. */
const FAN_OUT_BATCH = 500;
const Ids = z.array(z.object({ id: z.string() }));
/** The fan-out of an alert starts after this id. */
const NO_WATCH = '00000000-0000-0000-0000-000000000000';

const HOUR_MS = 3_600_000;

/** The findings of a probe. */
interface Shown {
  readonly domain: string;
  /** The database's time of the transaction. */
  readonly at: Date;
  readonly changes: readonly ChangesOfAlert[];
  readonly sample: HostSample | undefined;
}

/**
 * Writes the alerts of a probe in the transaction that stores it, so that a rolled back probe sends no alerts and a
 * stored one sends all of them. There is one row per alert, however many watches the host has; {@link fanOut} writes
 * the deliveries later. For a host without a watch nothing is written. The transaction holds the row of the host, so
 * that alerts are numbered without gaps.
 */
export async function writeAlerts(tx: Transaction, { domain, at, changes, sample }: Shown): Promise<void> {
  if (!(await tx.watch.findFirst({ where: { domain, ...activeNow(at) }, select: { id: true } }))) return;
  const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
  const known = await tx.watchedHost.findUnique({ where: { domain } });
  const before = { seq: 0, silent: 0, held: 0, ...known };
  const inHour = known?.hour.getTime() === hour.getTime() ? known.inHour : 0;
  const { alerts, counts } = alertsOf({ ...before, inHour }, changes, sample?.outcome);
  const now = { ...counts, hour };
  await tx.watchedHost.upsert({ where: { domain }, create: { ...now, domain }, update: now, select: { seq: true } });
  const rows = alerts.map((alert) => ({
    ...alert,
    changes: json(alert.changes),
    ...{ id: newAlertId(), domain, at, fannedOut: NO_WATCH },
  }));
  if (rows.length > 0) await tx.alert.createMany({ data: rows });
}

/** Writes an alert about a claim, for the watches of this claim only. */
export async function writeClaimAlert(
  tx: Transaction,
  type: AlertType,
  { id: subject, domain }: { readonly id: string; readonly domain: string },
  at: Date,
): Promise<void> {
  if (!(await tx.watch.findFirst({ where: { claimId: subject, ...activeNow(at) }, select: { id: true } }))) return;
  await tx.alert.create({
    data: { id: newAlertId(), domain, type, at, subject, fannedOut: NO_WATCH },
  });
}

/**
 * Takes the alert whose deliveries are written next: the one that reached the fewest watches, so that a host with
 * thousands of them does not delay the others. Unless {@link fanOut} completes it, it is taken again after a pause that
 * grows with its age.
 */
export async function takeForFanOut({ prisma }: Database): Promise<string | undefined> {
  // Uses SQL to skip alerts that another worker is taking.
  const [taken] = Ids.parse(
    await prisma.$queryRaw`
      UPDATE alert SET fan_out_at = now() + least(greatest(now() - at, interval '5 seconds'), interval '1 hour')
      WHERE id = (SELECT id FROM alert WHERE fanned_out IS NOT NULL AND fan_out_at <= now()
                  ORDER BY fanned_out, at, seq LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`,
  );
  return taken?.id;
}

/**
 * Writes the deliveries of one alert for its next watches: those that were active when it was written, want its type
 * and have alerts left. An alert that replaces omitted alerts goes to all watches, because the omitted ones may have
 * been of any type.
 */
export async function fanOut({ prisma }: Database, alert: string): Promise<void> {
  // Uses SQL to lock a batch of watches, count it down, write its deliveries and move on in one statement.
  await prisma.$executeRaw`
    WITH a AS (SELECT * FROM alert WHERE id = ${alert} FOR UPDATE),
    batch AS (
      SELECT w.id FROM watch w, a WHERE w.domain = a.domain AND w.id > a.fanned_out
      ORDER BY w.id LIMIT ${FAN_OUT_BATCH} FOR UPDATE OF w),
    wanted AS (
      UPDATE watch w SET alerts_left = alerts_left - 1 FROM batch, a
      WHERE w.id = batch.id AND w.created_at <= a.at AND ${activeAt(Prisma.sql`a.at`)}
        AND (a.type = ANY(w.types) OR a.coalesced IS NOT NULL)
        AND (a.type <> 'claim.lapsing' OR w.claim_id::text = a.subject)
      RETURNING w.id),
    written AS (INSERT INTO alert_delivery (watch_id, alert_id) SELECT id, ${alert} FROM wanted)
    UPDATE alert SET fan_out_at = at, fanned_out =
      (SELECT CASE WHEN count(*) = ${FAN_OUT_BATCH} THEN max(id::text COLLATE "C")::uuid END FROM batch)
    WHERE id = ${alert}`;
}
