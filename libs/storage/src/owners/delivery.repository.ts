import {
  afterAttempt,
  LAPSE_MS,
  VERIFY_TYPE,
  type Alert,
  type AlertChange,
  type Attempted,
  type PublicWebhookKeys,
} from '@app/owners';
import { z } from 'zod';
import { holdRow, timeOf } from '../database/clock';
import { KEEP_PLAN, type Database } from '../database/database';
import { isUuid } from '../database/uuid';
import { Prisma } from '../generated/client';
import { fanOut, takeForFanOut, watchIsPaid } from './alert-outbox';
import { openReceiver, sealReceiver } from './sealed-receiver';

const DueRow = z.object({
  watch: z.string(),
  url: z.string(),
  /** Registrable domain of the receiver, and of the watched host. */
  site: z.string(),
  hostSite: z.string(),
  /** Whether the watch belongs to a claim, and so is free. */
  free: z.boolean(),
  /** Encrypted. After a rotation, the old secret is also used for a day. */
  secrets: z.array(z.string()),
  /** The number of this attempt, so that it does not overwrite the result of a later one. */
  attempt: z.int(),
  /** Failed attempts of this alert, and consecutive failed attempts at the receiver. */
  failures: z.int(),
  inARow: z.int(),
});
const AlertRow = z.object({
  ...{ id: z.string(), type: z.string(), domain: z.string(), at: z.date() },
  ...{ seq: z.int().nullable(), coalesced: z.int().nullable(), subject: z.string().nullable() },
  ...{ changes: z.array(z.custom<AlertChange>()), changesOmitted: z.int() },
});

/** A delivery taken for one attempt. */
export type DueDelivery = Readonly<z.infer<typeof DueRow>> & { readonly alert: Alert };

/** How many deliveries of one lane may start now. */
interface Room {
  readonly most: number;
  /** How many of them may belong to free watches. */
  readonly mostFree?: number;
  /** Whether this is the lane for receivers whose last attempt failed or was slow; they have their own lane. */
  readonly failing: boolean;
  /**
   * How many are already running: in the worker by site of the receiver, and in the lane by site of the watched host.
   */
  readonly running: Readonly<Record<string, number>>;
  readonly runningOfHosts?: Readonly<Record<string, number>>;
}

/** The state of all watches, for operators. */
export type AlertStanding = Readonly<z.infer<typeof AlertStanding>>;
const AlertStanding = z.object({
  /** How long the oldest due alert has waited for a worker, in seconds; pauses of receivers do not count. */
  oldestWaitSec: z.number(),
  /** Active watches whose receiver accepted the last alert, and those whose receiver has failed since. */
  reached: z.int(),
  failing: z.int(),
  /** Claims in grace: their record or file was not found. */
  claimsLapsing: z.int(),
});

/** A watch whose receiver does not accept its alerts. */
export type TroubledWatch = Readonly<z.infer<typeof TroubledWatch>>;
const TroubledWatch = z.object({
  id: z.string(),
  domain: z.string(),
  /** The host of its URL only, because the rest may be a secret. */
  receiver: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  failingSince: z.date().nullable(),
  due: z.int(),
  givenUp: z.int(),
  outcome: z.string().nullable(),
});

/** How many watches an operator is shown, and how many alerts are redelivered at once. */
const LISTED = 1_000;
/** How many concurrent deliveries one registrable domain gets. */
const AT_ONCE_PER_SITE = 4;
/** A taken delivery without a recorded result is due again after this time, which is longer than any attempt. */
const LEASE_SEC = 30;
/** How many due deliveries are scanned to find some that may start. */
const SCANNED = 5_000;

/** Alert deliveries. The rows themselves are the queue, so that nothing is lost when a worker or Redis fails. */
export class DeliveryRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes deliveries of one stored alert; false if all are written.
   * @param failed called if they could not be written; that alert is retried later, and does not block the others
   */
  async fanOut(failed: (error: unknown) => void): Promise<boolean> {
    const alert = await takeForFanOut(this.database);
    if (alert === undefined) return false;
    await fanOut(this.database, alert).catch(failed);
    return true;
  }

  /**
   * Takes due deliveries. Watched sites take turns, and none gets more than half of the remaining room, so that a host
   * with thousands of watches does not block the alerts of others. A receiver's site gets a few at once.
   */
  async take({ most, mostFree = most, failing, running, runningOfHosts = {} }: Room): Promise<readonly DueDelivery[]> {
    const ofSite = (site: Prisma.Sql): Prisma.Sql =>
      Prisma.sql`coalesce((${JSON.stringify(running)}::jsonb->>${site})::int, 0)`;
    const ofHost = Prisma.sql`coalesce((${JSON.stringify(runningOfHosts)}::jsonb->>w.host_site)::int, 0)`;
    // Uses SQL for the turns, and to skip rows that another worker is taking.
    const taken = await this.database.prisma.$queryRaw<unknown[]>`${KEEP_PLAN}
      WITH open AS (
        SELECT d.watch_id, d.alert_id, d.next_at, w.site, w.host_site, w.claim_id IS NOT NULL AS free,
          ${ofHost} AS of_host
        FROM alert_delivery d JOIN watch w ON w.id = d.watch_id JOIN alert a ON a.id = d.alert_id
        WHERE d.state = 'due' AND d.next_at <= now() AND (w.failing_since IS NOT NULL OR w.slow) = ${failing}
          AND (w.paused_until IS NULL OR w.paused_until <= now())
          AND (w.state = 'active' OR (w.state = 'pending' AND a.type = ${VERIFY_TYPE} AND ${watchIsPaid('w')}))
          AND ${ofSite(Prisma.sql`w.site`)} < ${AT_ONCE_PER_SITE} AND ${ofHost} < ${most} AND (w.claim_id IS NULL OR ${mostFree} > 0)
        ORDER BY d.next_at LIMIT ${SCANNED}),
      by_site AS (
        SELECT *, row_number() OVER (PARTITION BY site, host_site ORDER BY next_at) AS place FROM open),
      by_host AS (
        SELECT *, row_number() OVER (PARTITION BY host_site ORDER BY place, next_at) + of_host AS turn FROM by_site),
      by_turn AS (
        SELECT *, row_number() OVER (PARTITION BY site ORDER BY turn, next_at) + ${ofSite(Prisma.sql`site`)} AS of_site,
          row_number() OVER (PARTITION BY free ORDER BY turn, next_at) AS of_free
        FROM by_host WHERE turn <= greatest(1, (${most} + of_host) / 2)),
      chosen AS MATERIALIZED (
        SELECT watch_id, alert_id FROM by_turn WHERE of_site <= ${AT_ONCE_PER_SITE} AND (NOT free OR of_free <= ${mostFree})
        ORDER BY turn, next_at LIMIT ${most}),
      due AS (
        SELECT d.watch_id, d.alert_id FROM chosen JOIN alert_delivery d USING (watch_id, alert_id)
        WHERE d.state = 'due' AND d.next_at <= now() FOR UPDATE OF d SKIP LOCKED)
      UPDATE alert_delivery d SET attempt = d.attempt + 1, next_at = now() + ${LEASE_SEC} * interval '1 second'
      FROM due, watch w, alert a
      WHERE d.watch_id = due.watch_id AND d.alert_id = due.alert_id AND w.id = d.watch_id AND a.id = d.alert_id
      RETURNING d.watch_id AS watch, d.attempt, d.failures, w.failures AS "inARow", w.url, w.site,
        w.host_site AS "hostSite", w.claim_id IS NOT NULL AS free,
        array_remove(ARRAY[w.secret, CASE WHEN w.rotated_at > now() - interval '1 day' THEN w.former_secret END], NULL) AS secrets,
        a.id, a.type, a.domain, a.at, a.seq, a.coalesced, a.subject, a.changes, a.changes_omitted AS "changesOmitted"`;
    const vault = await this.database.secrets.vault();
    return taken.map((row) => {
      const [due, alert] = [DueRow.parse(row), AlertRow.parse(row)];
      return { ...due, alert, url: openReceiver(vault, alert.domain, due.url) };
    });
  }

  /** Writes the result of an attempt, unless the delivery was taken again meanwhile. */
  async record({ watch: id, alert, attempt }: DueDelivery, ended: Attempted): Promise<void> {
    const { taken, status, outcome, ms, waitSec } = ended;
    const state = taken ? 'delivered' : waitSec === null ? 'exhausted' : 'due';
    const excerpt = sealReceiver(await this.database.secrets.vault(), id, ended.excerpt);
    await this.database.inTransaction(async (tx) => {
      // Locks in the same order as deleting a watch with its deliveries.
      const now = await holdRow(tx, 'watch', id);
      if (!now) return;
      const nextAt = new Date(now.getTime() + (waitSec ?? 0) * 1_000);
      const failures = { increment: taken ? 0 : 1 };
      const { count } = await tx.alertDelivery.updateMany({
        where: { watchId: id, alertId: alert.id, attempt, state: 'due' },
        data: { state, failures, triedAt: now, status, outcome, ms, excerpt, nextAt },
      });
      if (count !== 1) return;
      const watch = await tx.watch.findUniqueOrThrow({ where: { id } });
      await tx.watch.updateMany({ where: { id }, data: afterAttempt(watch, ended, alert.type, now) });
    });
  }

  /**
   * Returns a delivery whose attempt was not completed. It is due at once, or when its receiver may get messages again.
   */
  async giveBack({ watch: id, alert, attempt }: DueDelivery, pauseSec = 0): Promise<void> {
    const { prisma } = this.database;
    const now = await timeOf(prisma);
    if (pauseSec > 0) {
      const pausedUntil = new Date(now.getTime() + pauseSec * 1_000);
      const isShorter = { OR: [{ pausedUntil: null }, { pausedUntil: { lt: pausedUntil } }] };
      await prisma.watch.updateMany({ where: { id, ...isShorter }, data: { pausedUntil } });
    }
    const where = { watchId: id, alertId: alert.id, attempt, state: 'due' };
    await prisma.alertDelivery.updateMany({ where, data: { nextAt: now } });
  }

  /** Publishes the keys of a worker. The newest ones are used. */
  async publish({ kid, signing, sealing }: PublicWebhookKeys): Promise<void> {
    const { prisma } = this.database;
    const data = { kid, signing, sealing, since: await timeOf(prisma) };
    await prisma.webhookKey.createMany({ data, skipDuplicates: true });
  }

  /** All keys, the newest first. */
  async keys(): Promise<readonly PublicWebhookKeys[]> {
    const select = { kid: true, signing: true, sealing: true };
    return this.database.prisma.webhookKey.findMany({ select, orderBy: [{ since: 'desc' }, { kid: 'asc' }] });
  }

  /** The state of alert delivery, and the claims whose record or file was missing at the last check. */
  async standing(): Promise<AlertStanding> {
    // Uses SQL to read three tables at once, and to compare two columns.
    const standing = await this.database.prisma.$queryRaw`
      SELECT greatest(0, extract(epoch FROM now() - least((SELECT min(at) FROM alert WHERE fanned_out IS NOT NULL),
          (SELECT min(greatest(d.next_at, w.paused_until)) FROM alert_delivery d JOIN watch w ON w.id = d.watch_id
           WHERE d.state = 'due' AND d.next_at <= now() AND w.state = 'active'))))::float8 AS "oldestWaitSec",
        (SELECT count(*)::int FROM watch WHERE state = 'active' AND failing_since IS NULL) AS reached,
        (SELECT count(*)::int FROM watch WHERE state = 'active' AND failing_since IS NOT NULL) AS failing,
        (SELECT count(*)::int FROM claim WHERE missing AND last_seen_at > now() - ${LAPSE_MS} * interval '1 millisecond') AS "claimsLapsing"`;
    return z.tuple([AlertStanding]).parse(standing)[0];
  }

  /**
   * Watches whose receiver does not accept alerts, those that have failed longest first. Only the host of a URL is
   * shown.
   */
  async troubled(): Promise<readonly TroubledWatch[]> {
    // Uses SQL for the counts of each watch and its last outcome.
    const troubled = await this.database.prisma.$queryRaw`
      SELECT w.id, w.domain, w.url AS receiver, w.state, w.reason, w.failing_since AS "failingSince",
        count(*) FILTER (WHERE d.state = 'due')::int AS due, count(*) FILTER (WHERE d.state = 'exhausted')::int AS "givenUp",
        (array_agg(d.outcome ORDER BY d.tried_at DESC NULLS LAST))[1] AS outcome
      FROM watch w JOIN alert_delivery d ON d.watch_id = w.id
      GROUP BY w.id HAVING w.failing_since IS NOT NULL OR bool_or(d.state = 'exhausted' OR d.state = 'due' AND d.next_at <= now())
      ORDER BY w.failing_since NULLS LAST, w.id LIMIT ${LISTED}`;
    const vault = await this.database.secrets.vault();
    return z
      .array(TroubledWatch)
      .parse(troubled)
      .map((row) => {
        const url = openReceiver(vault, row.domain, row.receiver);
        return { ...row, receiver: URL.canParse(url) ? new URL(url).host : '' };
      });
  }

  /**
   * Redelivers alerts that a receiver did not accept, with their original ids, and restarts a watch that ended because
   * its receiver failed.
   * @returns how many alerts; undefined if the watch does not exist, has expired, or its receiver answered 410
   */
  async replayAll(id: string): Promise<number | undefined> {
    if (!isUuid(id)) return undefined;
    return this.database.inTransaction(async (tx) => {
      const now = await holdRow(tx, 'watch', id);
      if (!now) return undefined;
      const { endsAt, reason, state } = await tx.watch.findUniqueOrThrow({ where: { id } });
      if (endsAt <= now || reason === 'gone') return undefined;
      const begun = { reason: null, failures: 0, failingSince: null, pausedUntil: null };
      await tx.watch.updateMany({ where: { id }, data: { ...begun, state: state === 'ended' ? 'active' : state } });
      const missed = await tx.alertDelivery.findMany({
        where: { watchId: id, state: { in: ['due', 'exhausted'] } },
        select: { alertId: true },
        orderBy: { alert: { at: 'desc' } },
        take: LISTED,
      });
      const where = { watchId: id, alertId: { in: missed.map(({ alertId }) => alertId) } };
      const data = { state: 'due', failures: 0, nextAt: now };
      return (await tx.alertDelivery.updateMany({ where, data })).count;
    });
  }
}
