import { randomUUID } from 'node:crypto';
import type { Subscription } from '@app/subscriptions';
import type { Database } from './database';

interface Row {
  id: string;
  domain: string;
  payer: string | null;
  key_hash: string;
  since: Date;
  expires_at: Date;
  revoked_at: Date | null;
}

/** A subscription about to be bought. */
export interface Purchase {
  readonly domain: string;
  /** Lower case. */
  readonly payer: string;
  readonly keyHash: string;
  readonly paymentDigest: string;
  readonly days: number;
}

const COLUMNS = 'id, domain, payer, key_hash, since, expires_at, revoked_at';

/** Work is done before the money moves: until it has, nobody but its own purchase finds a subscription. */
const PAID = `(payment_digest IS NULL OR EXISTS (
  SELECT FROM payment_attempt
  WHERE payload_digest = payment_digest AND sku = 'subscription' AND state = 'settled'))`;

/** States of a payment that may still be settled without being presented again. */
const UNDER_WAY = `('verified', 'working', 'answer_stored', 'settling', 'settle_unknown')`;

/** Subscriptions in Postgres. Of a key only the hash is here. */
export class SubscriptionRepository {
  constructor(private readonly database: Database) {}

  /**
   * The subscription of a payment, made when it is not there yet. A payer that renews gets the new days on top of what
   * is left; so two purchases of one payer go one after the other, and this answers undefined while another is not
   * settled yet.
   */
  async purchase(bought: Purchase): Promise<Subscription | undefined> {
    const { domain, payer, keyHash, paymentDigest, days } = bought;
    await this.database.transaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`subscription ${payer} ${domain}`]);
      await client.query(
        `INSERT INTO subscription (id, domain, payer, key_hash, payment_digest, since, expires_at)
         SELECT $1, $2, $3, $4, $5, now(), greatest(now(), (
           SELECT max(expires_at) FROM subscription
           WHERE domain = $2 AND payer = $3 AND revoked_at IS NULL AND ${PAID})) + $6 * interval '1 day'
         WHERE NOT EXISTS (
           SELECT FROM subscription JOIN payment_attempt ON payload_digest = payment_digest AND sku = 'subscription'
           WHERE domain = $2 AND subscription.payer = $3 AND payment_digest <> $5 AND state IN ${UNDER_WAY})
         ON CONFLICT (payment_digest) DO NOTHING`,
        [randomUUID(), domain, payer, keyHash, paymentDigest, days],
      );
    });
    const [row] = await this.query(`SELECT ${COLUMNS} FROM subscription WHERE payment_digest = $1`, [paymentDigest]);
    return row && toSubscription(row);
  }

  /**
   * Hash of the key that a payment bought: the first time, or for a purchase that was given a name whenever that comes
   * along; undefined otherwise. Of the payment itself nothing is secret once it is settled: it is on the chain.
   */
  async showKey(paymentDigest: string, identifier: string | null): Promise<string | undefined> {
    const [row] = await this.query(
      `UPDATE subscription SET key_shown_at = coalesce(key_shown_at, now())
       WHERE payment_digest = $1 AND EXISTS (
         SELECT FROM payment_attempt
         WHERE payload_digest = $1 AND sku = 'subscription'
           AND (payment_identifier = $2 OR (payment_identifier IS NULL AND key_shown_at IS NULL)))
       RETURNING ${COLUMNS}`,
      [paymentDigest, identifier],
    );
    return row?.key_hash;
  }

  /** The operator's gift. */
  async grant(domain: string, keyHash: string, days: number): Promise<Subscription> {
    const [row] = await this.query(
      `INSERT INTO subscription (id, domain, key_hash, since, expires_at)
       VALUES ($1, $2, $3, now(), now() + $4 * interval '1 day') RETURNING ${COLUMNS}`,
      [randomUUID(), domain, keyHash, days],
    );
    if (!row) throw new Error('an insert returns its row');
    return toSubscription(row);
  }

  async findByKey(keyHash: string): Promise<Subscription | undefined> {
    const [row] = await this.query(`SELECT ${COLUMNS} FROM subscription WHERE key_hash = $1 AND ${PAID}`, [keyHash]);
    return row && toSubscription(row);
  }

  /** The payer's subscription of an origin that lasts longest; a revoked one only when there is no other. */
  async findByPayer(domain: string, payer: string): Promise<Subscription | undefined> {
    const [row] = await this.query(
      `SELECT ${COLUMNS} FROM subscription WHERE domain = $1 AND payer = $2 AND ${PAID}
       ORDER BY revoked_at IS NOT NULL, expires_at DESC LIMIT 1`,
      [domain, payer],
    );
    return row && toSubscription(row);
  }

  /** All that are paid for, the newest first. */
  async list(): Promise<readonly Subscription[]> {
    const rows = await this.query(`SELECT ${COLUMNS} FROM subscription WHERE ${PAID} ORDER BY since DESC, id`, []);
    return rows.map(toSubscription);
  }

  /** The subscription, revoked from now on or as long as it was before; undefined when there is none. */
  async revoke(id: string): Promise<Subscription | undefined> {
    const [row] = await this.query(
      `UPDATE subscription SET revoked_at = coalesce(revoked_at, now()) WHERE id::text = $1 RETURNING ${COLUMNS}`,
      [id],
    );
    return row && toSubscription(row);
  }

  private async query(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.database.pool.query<Row>(sql, [...values])).rows;
  }
}

function toSubscription(row: Row): Subscription {
  return {
    id: row.id,
    domain: row.domain,
    payer: row.payer,
    since: row.since,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
