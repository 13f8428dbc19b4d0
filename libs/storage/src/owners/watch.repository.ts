import { randomBytes, randomUUID } from 'node:crypto';
import { BOUGHT_WATCH, VERIFY_TYPE, claimStatus, LAPSE_MS, type ClaimProgress } from '@app/owners';
import type { PoolClient, QueryResultRow } from 'pg';
import { watchMayBePaid } from './alert-outbox';
import type { Database } from '../database/database';
import { hashOfName } from '../payments/sealed-payment';
import { openReceiver, sealReceiver } from './sealed-receiver';

/** A watch as it is told. */
export interface Watch {
  readonly id: string;
  readonly domain: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly state: 'unverified' | 'active' | 'disabled';
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly failingSince: Date | null;
  /** Null where alerts are not counted. */
  readonly alertsLeft: number | null;
}

/** The last attempt of a delivery. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  readonly state: 'due' | 'delivered' | 'exhausted';
  readonly failures: number;
  readonly triedAt: Date | null;
  readonly outcome: string | null;
  readonly excerpt: string | null;
}

/** What a watch is of, and until when it holds: a claim or a subscription by its id, or a payment by its digest. */
export interface WatchOwner {
  readonly kind: keyof typeof OWNERS;
  readonly id: string;
  readonly endsAt: Date;
}

/** What the key of a claim gives. */
interface ClaimOfKey {
  readonly id: string;
  readonly givesWatches: boolean;
  readonly endsAt: Date;
}

/** A watch about to begin. */
export interface NewWatch extends Pick<Watch, 'id' | 'domain' | 'url' | 'types'> {
  /** Registrable domain of the receiver, and of the watched host. */
  readonly site: string;
  readonly hostSite: string;
  readonly keyHash: string;
  /** Sealed. */
  readonly secret: string;
}

const COLUMNS = `id, domain, url, types, state, reason, created_at AS "createdAt", ends_at AS "endsAt",
  failing_since AS "failingSince", alerts_left AS "alertsLeft"`;
/** Watches of one claim or subscription. */
const WATCHES_PER_OWNER = 10;
/** Watches of one host, and of one registrable domain. Those of claims, which cost nothing, take no room of those that were bought. */
export const WATCHES_OF_HOST = { free: 100, bought: 1_000 } as const;
export const WATCHES_OF_SITE = { free: 400, bought: 4_000 } as const;
type Price = keyof typeof WATCHES_OF_HOST;
/** Where each owner stands, the row that has to be there still, how many watches it has at most, and the alerts of each. */
const OWNERS = {
  claim: {
    ...{ column: 'claim_id', price: 'free' as Price, most: WATCHES_PER_OWNER, alerts: null },
    locked: 'SELECT FROM claim WHERE id = $1 FOR KEY SHARE',
  },
  subscription: {
    ...{ column: 'subscription_id', price: 'bought' as Price, most: WATCHES_PER_OWNER, alerts: null },
    locked: 'SELECT FROM subscription WHERE id = $1 AND revoked_at IS NULL AND expires_at > now() FOR SHARE',
  },
  payment: {
    ...{ column: 'payment_digest', price: 'bought' as Price, most: 1, alerts: BOUGHT_WATCH.alerts },
    locked: 'SELECT $1::text',
  },
} as const;
/** SQL: whether a host $1 of the site $2 has room for another watch. Those whose payment failed take none. */
const hasRoom = (price: Price): string => `(
  SELECT count(*) FILTER (WHERE w.domain = $1) < ${WATCHES_OF_HOST[price]} AND count(*) < ${WATCHES_OF_SITE[price]}
  FROM watch w WHERE w.host_site = $2 AND w.ends_at > now() AND w.state <> 'disabled'
    AND (w.claim_id IS NOT NULL) = ${price === 'free'} AND ${watchMayBePaid('w')})`;
/** Deliveries that an owner is shown. */
const SHOWN = 50;

/** Watches in Postgres. Of a key only the hash is here. SQL: rows are capped and written with their first alert at once. */
export class WatchRepository {
  /** @param confirmMs how far apart control of a host has to be seen twice */
  constructor(
    private readonly database: Database,
    private readonly confirmMs: number,
  ) {}

  /** The claim of that key: whether it gives watches, and until when one of it would hold. */
  async claimOf(domain: string, keyHash: string): Promise<ClaimOfKey | undefined> {
    const [row] = await this.query<Omit<ClaimProgress, 'confirmMs'> & { readonly id: string }>(
      `SELECT id, created_at AS "createdAt", level, level_since AS "levelSince", last_seen_at AS "lastSeenAt", missing
       FROM claim WHERE key_hash = $1 AND domain = $2`,
      [keyHash, domain],
    );
    if (!row) return undefined;
    const givesWatches =
      row.level === 'dns' && claimStatus({ ...row, confirmMs: this.confirmMs }, new Date()) === 'verified';
    return { id: row.id, givesWatches, endsAt: new Date((row.lastSeenAt ?? row.createdAt).getTime() + LAPSE_MS) };
  }

  /** Whether another watch of this host may be sold. */
  async isForSale(domain: string, site: string): Promise<boolean> {
    const [row] = await this.query<{ room: boolean }>(`SELECT ${hasRoom('bought')} AS room`, [domain, site]);
    return row?.room === true;
  }

  /**
   * Begins a watch, unless its owner or its host has as many as there may be, or its owner has gone since it was read. The
   * receiver is asked whether it wants alerts.
   */
  async open(watch: NewWatch, owner: WatchOwner): Promise<Watch | 'too_many' | 'owner_gone'> {
    const { column, price, most, alerts, locked } = OWNERS[owner.kind];
    const url = sealReceiver(await this.database.secrets.vault(), watch.domain, watch.url);
    return this.database.transaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`watches of ${watch.hostSite}`]);
      if ((await client.query(locked, [owner.id])).rowCount === 0) return 'owner_gone';
      const { id, domain, site, hostSite, types, keyHash, secret } = watch;
      const { rows } = await client.query<Watch>(
        `INSERT INTO watch (domain, host_site, id, url, site, types, key_hash, secret, ${column}, created_at, ends_at, alerts_left)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, now(), $10, $11
         WHERE (SELECT count(*) FROM watch WHERE ${column} = $9) < ${most} AND ${hasRoom(price)} RETURNING ${COLUMNS}`,
        [domain, hostSite, id, url, site, types, keyHash, secret, owner.id, owner.endsAt, alerts],
      );
      if (!rows[0]) return 'too_many';
      await writeChallenge(client, rows[0]);
      return { ...rows[0], url: watch.url };
    });
  }

  /** The watch that a payment bought. */
  async ofPayment(digest: string): Promise<Watch | undefined> {
    return this.opened(await this.query<Watch>(`SELECT ${COLUMNS} FROM watch WHERE payment_digest = $1`, [digest]));
  }

  /**
   * Of the watch that a payment bought the hash of its key, and whether its secret is another by now; undefined unless the
   * first request with the payment gave it this name.
   */
  async boughtByName(
    digest: string,
    name: string | null,
  ): Promise<{ readonly keyHash: string; readonly rotated: boolean } | undefined> {
    const [row] = await this.query<{ keyHash: string; rotated: boolean }>(
      `SELECT key_hash AS "keyHash", rotated_at IS NOT NULL AS rotated FROM watch
       WHERE payment_digest = $1 AND EXISTS (SELECT FROM payment_attempt
         WHERE payload_digest = $1 AND sku = 'watch' AND payment_identifier = $2 AND named_first)`,
      [digest, hashOfName(await this.database.secrets.vault(), name)],
    );
    return row;
  }

  /** The watch of that id and key; one answer for a wrong key and for a watch that is not there. */
  async find(id: string, keyHash: string): Promise<Watch | undefined> {
    const which = [keyHash, id.toLowerCase()];
    return this.opened(
      await this.query<Watch>(`SELECT ${COLUMNS} FROM watch WHERE key_hash = $1 AND id::text = $2`, which),
    );
  }

  private async opened([row]: readonly Watch[]): Promise<Watch | undefined> {
    return row && { ...row, url: openReceiver(await this.database.secrets.vault(), row.domain, row.url) };
  }

  /** Ends a watch; nothing of it is kept. */
  async remove(id: string): Promise<void> {
    await this.query('DELETE FROM watch WHERE id = $1', [id]);
  }

  /** Signs with another secret from now on, and with the former one, too, for a day. */
  async changeSecret(id: string, sealed: string): Promise<void> {
    await this.query('UPDATE watch SET former_secret = secret, secret = $2, rotated_at = now() WHERE id = $1', [
      id,
      sealed,
    ]);
  }

  /** The newest deliveries first. */
  async deliveries(id: string): Promise<readonly Delivery[]> {
    const rows = await this.query<Delivery>(
      `SELECT a.id, a.type, a.at, d.state, d.failures, d.tried_at AS "triedAt", d.outcome, d.excerpt
       FROM alert_delivery d JOIN alert a ON a.id = d.alert_id WHERE d.watch_id = $1 ORDER BY a.at DESC, a.id LIMIT ${SHOWN}`,
      [id],
    );
    const vault = await this.database.secrets.vault();
    return rows.map((row) => ({ ...row, excerpt: row.excerpt === null ? null : openReceiver(vault, id, row.excerpt) }));
  }

  /** Sends an alert again, under its id; false when the watch has none of that name. */
  async replay(id: string, alert: string): Promise<boolean> {
    const rows = await this.query(
      `UPDATE alert_delivery SET state = 'due', failures = 0, next_at = now() WHERE watch_id = $1 AND alert_id = $2 RETURNING alert_id`,
      [id, alert],
    );
    return rows.length === 1;
  }

  private async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.database.pool.query<Row>(sql, [...values])).rows;
  }
}

async function writeChallenge(client: PoolClient, { id, domain }: Watch): Promise<void> {
  await client.query(
    `WITH written AS (INSERT INTO alert (id, domain, type, at, subject) VALUES ($2, $3, $4, now(), $5) RETURNING id)
     INSERT INTO alert_delivery (watch_id, alert_id) SELECT $1, id FROM written`,
    [id, `msg_${randomUUID().replaceAll('-', '')}`, domain, VERIFY_TYPE, randomBytes(24).toString('hex')],
  );
}
