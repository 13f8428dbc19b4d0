import { VERIFY_TYPE, type Alert, type PublicWebhookKeys, LAPSE_MS } from '@app/owners';
import { fanOut, takeForFanOut, watchIsPaid } from './alert-outbox';
import type { Database } from '../database/database';
import { openReceiver, sealReceiver } from './sealed-receiver';

/** A delivery that was taken to be tried once. */
export interface DueDelivery {
  readonly watch: string;
  readonly url: string;
  /** Registrable domain of the receiver, and of the host that is watched. */
  readonly site: string;
  readonly hostSite: string;
  /** Whether the watch is one of a claim, which costs nothing. */
  readonly free: boolean;
  /** Sealed. The former one counts for a day after another was drawn. */
  readonly secrets: readonly string[];
  readonly alert: Alert;
  /** Names this attempt: what a later one recorded stays. */
  readonly attempt: number;
  /** Attempts of this alert that failed, and attempts at the receiver that failed in a row. */
  readonly failures: number;
  readonly inARow: number;
}

/** How an attempt ended. */
export interface Attempted {
  readonly taken: boolean;
  /** Status of the answer. */
  readonly status: number | null;
  /** The status, or why there was no answer. */
  readonly outcome: string;
  readonly ms: number;
  readonly excerpt: string;
  /** Seconds until the next attempt; null when there is none. */
  readonly waitSec: number | null;
  /** Seconds in which the receiver gets nothing. */
  readonly pauseSec: number;
  /** The receiver wants nothing any more. */
  readonly gone: boolean;
}

/** Deliveries of one lane that may run now. */
interface Room {
  readonly most: number;
  /** How many of them may be of claims, which cost nothing. */
  readonly mostFree?: number;
  /** Whether it is about receivers whose last attempt failed or was slow; they wait in a lane of their own. */
  readonly failing: boolean;
  /** How many run already: in the worker by site of the receiver, and in the lane by site of the watched host. */
  readonly running: Readonly<Record<string, number>>;
  readonly runningOfHosts?: Readonly<Record<string, number>>;
}

/** Of all watches, for operators. */
export interface AlertStanding {
  /** How long the alert that is due for longest has waited for a worker, in seconds; pauses of receivers do not count. */
  readonly oldestWaitSec: number;
  /** Active watches whose receiver took the last alert, and those whose receiver failed since. */
  readonly reached: number;
  readonly failing: number;
  /** Claims in grace: their proof was not found. */
  readonly claimsLapsing: number;
}

/** A watch whose receiver does not take its alerts. */
export interface TroubledWatch {
  readonly id: string;
  readonly domain: string;
  /** Host of its address: the rest may be a secret of the receiver. */
  readonly receiver: string;
  readonly state: string;
  readonly reason: string | null;
  readonly failingSince: Date | null;
  readonly due: number;
  readonly givenUp: number;
  readonly outcome: string | null;
}

/** Watches that an operator is shown, and alerts that are sent again at once. */
const LISTED = 1_000;
/** Deliveries to one registrable domain at once. */
const AT_ONCE_PER_SITE = 4;
/** A receiver whose last attempt took longer is slow. */
const SLOW_MS = 5_000;
/** A delivery that was taken and not recorded is due again after this: longer than any attempt. */
const LEASE_SEC = 30;
/** A receiver that failed for so long gets nothing any more. */
const FAILING_FOR = '5 days';
const ROTATION = '24 hours';
/** Of what is due, as much is read to find what may run. */
const SCANNED = 5_000;

/**
 * Alerts on their way. The rows are the queue: truth is here alone, so that nothing is lost with a worker or with Redis.
 * SQL: rows are taken by one statement each, and what has been taken by another worker is passed over.
 */
export class DeliveryRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes deliveries of an alert that was stored since; false when all are written.
   * @param failed told when they could not be written: that alert waits, and holds up no other
   */
  async fanOut(failed: (error: unknown) => void): Promise<boolean> {
    const { pool } = this.database;
    const alert = await takeForFanOut(pool);
    if (alert === undefined) return false;
    await fanOut(pool, alert).catch(failed);
    return true;
  }

  /**
   * Takes deliveries that are due. Watched sites take turns, and none takes more than half of the room that is left: one host
   * with thousands of watches leaves room for the alerts of another. A receiver's site gets a few at once.
   */
  async take({ most, mostFree = most, failing, running, runningOfHosts = {} }: Room): Promise<readonly DueDelivery[]> {
    const { rows } = await this.database.pool.query<Omit<DueDelivery, 'alert'> & Alert>({
      name: 'alert_take',
      text: `WITH open AS (
               SELECT d.watch_id, d.alert_id, d.next_at, w.site, w.host_site, w.claim_id IS NOT NULL AS free,
                 coalesce(($4::jsonb->>w.host_site)::int, 0) AS of_host
               FROM alert_delivery d JOIN watch w ON w.id = d.watch_id JOIN alert a ON a.id = d.alert_id
               WHERE d.state = 'due' AND d.next_at <= now() AND (w.failing_since IS NOT NULL OR w.slow) = $2
                 AND (w.paused_until IS NULL OR w.paused_until <= now())
                 AND (w.state = 'active' OR (w.state = 'unverified' AND a.type = '${VERIFY_TYPE}' AND ${watchIsPaid('w')}))
                 AND coalesce(($3::jsonb->>w.site)::int, 0) < ${AT_ONCE_PER_SITE}
                 AND coalesce(($4::jsonb->>w.host_site)::int, 0) < $1 AND (w.claim_id IS NULL OR $5 > 0)
               ORDER BY d.next_at LIMIT ${SCANNED}),
             by_site AS (
               SELECT *, row_number() OVER (PARTITION BY site, host_site ORDER BY next_at) AS place FROM open),
             by_host AS (
               SELECT *, row_number() OVER (PARTITION BY host_site ORDER BY place, next_at) + of_host AS turn FROM by_site),
             by_turn AS (
               SELECT *, row_number() OVER (PARTITION BY site ORDER BY turn, next_at) + coalesce(($3::jsonb->>site)::int, 0) AS of_site,
                 row_number() OVER (PARTITION BY free ORDER BY turn, next_at) AS of_free
               FROM by_host WHERE turn <= greatest(1, ($1 + of_host) / 2)),
             chosen AS MATERIALIZED (
               SELECT watch_id, alert_id FROM by_turn WHERE of_site <= ${AT_ONCE_PER_SITE} AND (NOT free OR of_free <= $5)
               ORDER BY turn, next_at LIMIT $1),
             due AS (
               SELECT d.watch_id, d.alert_id FROM chosen JOIN alert_delivery d USING (watch_id, alert_id)
               WHERE d.state = 'due' AND d.next_at <= now() FOR UPDATE OF d SKIP LOCKED)
             UPDATE alert_delivery d SET attempt = d.attempt + 1, next_at = now() + interval '${LEASE_SEC} seconds'
             FROM due, watch w, alert a
             WHERE d.watch_id = due.watch_id AND d.alert_id = due.alert_id AND w.id = d.watch_id AND a.id = d.alert_id
             RETURNING d.watch_id AS watch, d.attempt, d.failures, w.failures AS "inARow", w.url, w.site,
               w.host_site AS "hostSite", w.claim_id IS NOT NULL AS free,
               array_remove(ARRAY[w.secret, CASE WHEN w.rotated_at > now() - interval '${ROTATION}' THEN w.former_secret END],
                            NULL) AS secrets,
               a.id, a.type, a.domain, a.at, a.seq, a.coalesced, a.subject`,
      values: [most, failing, JSON.stringify(running), JSON.stringify(runningOfHosts), mostFree],
    });
    const vault = await this.database.secrets.vault();
    return rows.map(({ id, type, domain, at, seq, coalesced, subject, ...delivery }) => ({
      ...delivery,
      url: openReceiver(vault, domain, delivery.url),
      alert: { id, type, domain, at, seq, coalesced, subject },
    }));
  }

  /** Writes how an attempt ended, unless the delivery was taken again meanwhile. */
  async record({ watch, alert, attempt }: DueDelivery, ended: Attempted): Promise<void> {
    const { taken, status, outcome, ms, waitSec, pauseSec, gone } = ended;
    const excerpt = sealReceiver(await this.database.secrets.vault(), watch, ended.excerpt);
    await this.database.transaction(async (client) => {
      // In the order in which a watch that ends takes its deliveries with it.
      await client.query('SELECT FROM watch WHERE id = $1 FOR UPDATE', [watch]);
      const { rowCount } = await client.query(
        `UPDATE alert_delivery SET state = $4, failures = failures + $5, tried_at = now(), status = $6, outcome = $7, ms = $8,
           excerpt = $9, next_at = now() + $10 * interval '1 second'
         WHERE watch_id = $1 AND alert_id = $2 AND attempt = $3 AND state = 'due'`,
        [
          ...[watch, alert.id, attempt, taken ? 'delivered' : waitSec === null ? 'exhausted' : 'due', taken ? 0 : 1],
          ...[status, outcome, ms, excerpt, waitSec ?? 0],
        ],
      );
      if (rowCount !== 1) return;
      if (taken) {
        await client.query(
          `UPDATE watch SET failures = 0, failing_since = NULL, paused_until = NULL, slow = $3,
             state = CASE WHEN state = 'unverified' AND $2 THEN 'active' ELSE state END WHERE id = $1`,
          [watch, alert.type === VERIFY_TYPE, ms > SLOW_MS],
        );
        return;
      }
      await client.query(
        `UPDATE watch SET failures = failures + 1, failing_since = coalesce(failing_since, now()),
           paused_until = greatest(paused_until, now() + $2 * interval '1 second'),
           state = CASE WHEN $3 OR failing_since < now() - interval '${FAILING_FOR}' THEN 'disabled' ELSE state END,
           reason = CASE WHEN $3 THEN 'gone' WHEN failing_since < now() - interval '${FAILING_FOR}' THEN 'failing' ELSE reason END
         WHERE id = $1`,
        [watch, pauseSec, gone],
      );
    });
  }

  /** Gives a delivery back that was not tried to its end. It is due at once, or when its receiver may get messages again. */
  async giveBack({ watch, alert, attempt }: DueDelivery, pauseSec = 0): Promise<void> {
    if (pauseSec > 0) {
      await this.database.pool.query(
        `UPDATE watch SET paused_until = greatest(paused_until, now() + $2 * interval '1 second') WHERE id = $1`,
        [watch, pauseSec],
      );
    }
    await this.database.pool.query(
      `UPDATE alert_delivery SET next_at = now() WHERE watch_id = $1 AND alert_id = $2 AND attempt = $3 AND state = 'due'`,
      [watch, alert.id, attempt],
    );
  }

  /** Publishes the keys of a worker. The newest ones are used. */
  async publish({ kid, signing, sealing }: PublicWebhookKeys): Promise<void> {
    await this.database.pool.query(
      'INSERT INTO webhook_key (kid, signing, sealing) VALUES ($1, $2, $3) ON CONFLICT (kid) DO NOTHING',
      [kid, signing, sealing],
    );
  }

  /** All keys there were, the newest first. */
  async keys(): Promise<readonly PublicWebhookKeys[]> {
    const { rows } = await this.database.pool.query<PublicWebhookKeys>(
      'SELECT kid, signing, sealing FROM webhook_key ORDER BY since DESC, kid',
    );
    return rows;
  }

  /** How the delivery of alerts stands, and the claims whose proof was not found when it was last checked. */
  async standing(): Promise<AlertStanding> {
    const { rows } = await this.database.pool.query<AlertStanding>(
      `SELECT coalesce(extract(epoch FROM now() - least((SELECT min(at) FROM alert WHERE fanned_out IS NOT NULL),
                 (SELECT min(greatest(d.next_at, w.paused_until)) FROM alert_delivery d JOIN watch w ON w.id = d.watch_id
                  WHERE d.state = 'due' AND d.next_at <= now() AND w.state = 'active'))), 0)::float8 AS "oldestWaitSec",
         (SELECT count(*)::int FROM watch WHERE state = 'active' AND failing_since IS NULL) AS reached,
         (SELECT count(*)::int FROM watch WHERE state = 'active' AND failing_since IS NOT NULL) AS failing,
         (SELECT count(*)::int FROM claim WHERE missing AND last_seen_at > $1) AS "claimsLapsing"`,
      [new Date(Date.now() - LAPSE_MS)],
    );
    const { oldestWaitSec = 0, reached = 0, failing = 0, claimsLapsing = 0 } = rows[0] ?? {};
    return { oldestWaitSec: Math.max(0, oldestWaitSec), reached, failing, claimsLapsing };
  }

  /** Watches whose receiver does not take its alerts, those that fail for longest first. Of an address only the host. */
  async troubled(): Promise<readonly TroubledWatch[]> {
    const { rows } = await this.database.pool.query<TroubledWatch>(
      `SELECT w.id, w.domain, w.url AS receiver, w.state, w.reason,
         w.failing_since AS "failingSince", count(*) FILTER (WHERE d.state = 'due')::int AS due,
         count(*) FILTER (WHERE d.state = 'exhausted')::int AS "givenUp",
         (array_agg(d.outcome ORDER BY d.tried_at DESC NULLS LAST))[1] AS outcome
       FROM watch w JOIN alert_delivery d ON d.watch_id = w.id
       GROUP BY w.id HAVING w.failing_since IS NOT NULL OR bool_or(d.state = 'exhausted' OR d.state = 'due' AND d.next_at <= now())
       ORDER BY w.failing_since NULLS LAST, w.id LIMIT ${LISTED}`,
    );
    const vault = await this.database.secrets.vault();
    return rows.map((row) => {
      const url = openReceiver(vault, row.domain, row.receiver);
      return { ...row, receiver: URL.canParse(url) ? new URL(url).host : '' };
    });
  }

  /**
   * Sends what a receiver did not take again, under its ids, and begins a watch again that ended because its receiver failed.
   * @returns how many alerts; undefined when there is no such watch, it is over, or its receiver wants nothing any more
   */
  async replayAll(watch: string): Promise<number | undefined> {
    return this.database.transaction(async (client) => {
      const { rows } = await client.query<{ id: string }>(
        `UPDATE watch SET state = CASE WHEN state = 'disabled' THEN 'active' ELSE state END, reason = NULL, failures = 0,
           failing_since = NULL, paused_until = NULL
         WHERE id::text = $1 AND ends_at > now() AND reason IS DISTINCT FROM 'gone' RETURNING id`,
        [watch.toLowerCase()],
      );
      if (!rows[0]) return undefined;
      const { rowCount } = await client.query(
        `UPDATE alert_delivery SET state = 'due', failures = 0, next_at = now() WHERE watch_id = $1 AND alert_id IN (
           SELECT alert_id FROM alert_delivery JOIN alert ON id = alert_id
           WHERE watch_id = $1 AND state IN ('due', 'exhausted') ORDER BY at DESC LIMIT ${LISTED})`,
        [rows[0].id],
      );
      return rowCount ?? 0;
    });
  }
}
