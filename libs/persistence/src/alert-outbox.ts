import { randomUUID } from 'node:crypto';
import { alertsOf, type AlertType, type WatchedCounts } from '@app/alerts';
import type { PoolClient } from 'pg';
import type { HostSample } from './host-day';

/** SQL: whether a watch `w` is told of what happens now. */
export const HOLDS = `w.state = 'active' AND w.ends_at > now() AND (w.alerts_left IS NULL OR w.alerts_left > 0)
  AND NOT EXISTS (SELECT FROM subscription s WHERE s.id = w.subscription_id AND s.revoked_at IS NOT NULL)`;

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
 * Writes the alerts of a probe, and a delivery of each for every watch that wants it, in the transaction that stores the
 * probe: what was rolled back is told to no receiver, and what was stored to all. Of a host without a watch nothing is
 * written. The transaction holds the row of the host, so that alerts are numbered without a gap.
 */
export async function writeAlerts(client: PoolClient, { domain, changes, sample }: Shown): Promise<void> {
  const { rows: watches } = await client.query<{ id: string }>({
    name: 'watches_of_host',
    text: `SELECT id FROM watch w WHERE domain = $1 AND ${HOLDS} ORDER BY id FOR UPDATE`,
    values: [domain],
  });
  if (watches.length === 0) return;
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
  const ids = watches.map(({ id }) => id);
  for (const alert of alerts) await writeAlert(client, { domain, subject: null, ...alert }, ids);
}

/**
 * Writes one alert for those of the watches that want its type and have alerts left. What stands for alerts that were left
 * out is for all of them: those may have been of any type.
 * @param watches ids, locked in their order
 */
export async function writeAlert(client: PoolClient, alert: NewAlert, watches: readonly string[]): Promise<void> {
  const { domain, seq, type, coalesced, subject } = alert;
  await client.query({
    name: 'alert_write',
    text: `WITH written AS (
             INSERT INTO alert (id, domain, seq, type, at, coalesced, subject) VALUES ($1, $2, $3, $4, now(), $5, $6)
             RETURNING id, type),
           wanted AS (
             UPDATE watch SET alerts_left = alerts_left - 1
             WHERE id = ANY($7::uuid[]) AND ($4 = ANY(types) OR $5::int IS NOT NULL) AND (alerts_left IS NULL OR alerts_left > 0)
             RETURNING id)
           INSERT INTO alert_delivery (watch_id, alert_id) SELECT wanted.id, written.id FROM wanted, written`,
    values: [`msg_${randomUUID().replaceAll('-', '')}`, domain, seq, type, coalesced, subject, watches],
  });
}

/** Tells the watches of a claim that what it rests on was not found: its owner alone gets that. */
export async function writeLapsing(
  client: PoolClient,
  claim: { readonly id: string; readonly domain: string },
): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM watch w WHERE claim_id = $1 AND ${HOLDS} ORDER BY id FOR UPDATE`,
    [claim.id],
  );
  if (rows.length === 0) return;
  const alert = { domain: claim.domain, type: 'claim.lapsing', seq: null, coalesced: null, subject: claim.id };
  await writeAlert(
    client,
    alert,
    rows.map(({ id }) => id),
  );
}
