import { randomUUID } from 'node:crypto';
import { alertsOf, newAlertId, type AlertType, type WatchedCounts } from '@app/owners';
import type { HostSample } from '@app/reports';
import type { PoolClient } from 'pg';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database';
import { Prisma } from '../generated/client';

/** SQL: whether a watch `w` was active `at` that time and gets alerts. */
const activeAt = (
  at: Prisma.Sql,
): Prisma.Sql => Prisma.sql`w.state = 'active' AND w.ends_at > ${at} AND (w.alerts_left IS NULL OR w.alerts_left > 0)
  AND NOT EXISTS (SELECT FROM subscription s WHERE s.id = w.subscription_id AND s.revoked_at IS NOT NULL)`;

/** SQL: whether a watch `w` gets alerts of what happens now. */
export const WATCH_IS_ACTIVE = activeAt(Prisma.sql`now()`);

/** SQL: whether the payment of a watch is in one of these states, or the watch was not sold. */
const paymentIsIn = (watch: string, states: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  ${Prisma.raw(watch)}.payment_digest IS NULL OR EXISTS (SELECT FROM payment_attempt p
    WHERE p.payload_digest = ${Prisma.raw(watch)}.payment_digest AND p.sku = 'watch' AND p.state IN (${states})))`;
/** SQL: the work of a sale is done before the money moves. Until it has, a watch sends nothing and ranks with nothing that was bought. */
export const watchIsPaid = (watch: string): Prisma.Sql => paymentIsIn(watch, Prisma.sql`'settled'`);
/** SQL: whether a watch was paid for, or its payment may still be settled. */
export const watchMayBePaid = (watch: string): Prisma.Sql =>
  paymentIsIn(
    watch,
    Prisma.sql`'received', 'verified', 'working', 'answer_stored', 'settling', 'settle_unknown', 'settled'`,
  );

/** Watches that one transaction writes the deliveries of. */
const FAN_OUT_BATCH = 500;
const Ids = z.array(z.object({ id: z.string() }));
/** Where the fan-out of an alert begins. */
const NO_WATCH = '00000000-0000-0000-0000-000000000000';

/** What a probe showed. */
interface Shown {
  readonly domain: string;
  readonly changes: readonly AlertType[];
  readonly sample: HostSample | undefined;
}

/** An alert as its row is written. */
interface NewAlert {
  readonly domain: string;
  readonly type: string;
  readonly seq: number | null;
  readonly coalesced: number | null;
  readonly subject: string | null;
}

/**
 * Writes the alerts of a probe in the transaction that stores it: what was rolled back is told to no watch, and what was stored
 * to all. It is one row for each alert, however many watches the host has; {@link fanOut} writes their deliveries later. Of a
 * host without a watch nothing is written. The transaction holds the row of the host, so that alerts are numbered without a gap.
 */
export async function writeAlerts(client: PoolClient, { domain, changes, sample }: Shown): Promise<void> {
  const watches = await client.query({
    name: 'host_is_watched',
    text: `SELECT FROM watch w WHERE domain = $1 AND ${WATCH_IS_ACTIVE.sql} LIMIT 1`,
    values: [domain],
  });
  if (watches.rowCount === 0) return;
  const { rows } = await client.query<WatchedCounts>(
    `INSERT INTO watched_host AS h (domain, hour) VALUES ($1, date_trunc('hour', now()))
     ON CONFLICT (domain) DO UPDATE SET hour = date_trunc('hour', now()),
       in_hour = CASE WHEN h.hour = date_trunc('hour', now()) THEN h.in_hour ELSE 0 END
     RETURNING seq, silent, in_hour AS "inHour", held`,
    [domain],
  );
  const known = rows[0] ?? { seq: 0, silent: 0, inHour: 0, held: 0 };
  const { alerts, counts } = alertsOf(known, changes, sample?.outcome);
  await client.query('UPDATE watched_host SET seq = $2, silent = $3, in_hour = $4, held = $5 WHERE domain = $1', [
    domain,
    counts.seq,
    counts.silent,
    counts.inHour,
    counts.held,
  ]);
  for (const alert of alerts) await writeAlert(client, { domain, subject: null, ...alert });
}

/** Writes an alert whose deliveries {@link fanOut} writes. */
async function writeAlert(client: PoolClient, alert: NewAlert): Promise<void> {
  const { domain, seq, type, coalesced, subject } = alert;
  await client.query({
    name: 'alert_write',
    text: `INSERT INTO alert (id, domain, seq, type, at, coalesced, subject, fanned_out)
           VALUES ($1, $2, $3, $4, now(), $5, $6, '${NO_WATCH}')`,
    values: [`msg_${randomUUID().replaceAll('-', '')}`, domain, seq, type, coalesced, subject],
  });
}

/** Tells the watches of a claim that what it rests on was not found: its owner alone gets that. */
export async function writeLapsing(
  tx: Transaction,
  { id: subject, domain }: { readonly id: string; readonly domain: string },
  at: Date,
): Promise<void> {
  const isActive = { state: 'active', endsAt: { gt: at }, OR: [{ alertsLeft: null }, { alertsLeft: { gt: 0 } }] };
  if (!(await tx.watch.findFirst({ where: { claimId: subject, ...isActive } }))) return;
  await tx.alert.create({
    data: { id: newAlertId(), domain, type: 'claim.lapsing', at, subject, fannedOut: NO_WATCH },
  });
}

/**
 * Takes the alert whose deliveries are written next: the one that reached fewest watches, so that a host with thousands of them
 * delays no other. Unless {@link fanOut} says otherwise it comes again after a pause that grows with its age.
 */
export async function takeForFanOut({ prisma }: Database): Promise<string | undefined> {
  // SQL: an alert that another worker takes is passed over.
  const [taken] = Ids.parse(
    await prisma.$queryRaw`
      UPDATE alert SET fan_out_at = now() + least(greatest(now() - at, interval '5 seconds'), interval '1 hour')
      WHERE id = (SELECT id FROM alert WHERE fanned_out IS NOT NULL AND fan_out_at <= now()
                  ORDER BY fanned_out, at, seq LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`,
  );
  return taken?.id;
}

/**
 * Writes the deliveries of one alert for its next watches: those that were active when it was written, want its type and have
 * alerts left. An alert that stands for alerts that were left out goes to all of them: those may have been of any type.
 */
export async function fanOut({ prisma }: Database, alert: string): Promise<void> {
  // SQL: a batch of watches is locked, counted down, written to and passed in one statement.
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
