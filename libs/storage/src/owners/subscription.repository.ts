import { randomUUID } from 'node:crypto';
import type { Subscription } from '@app/owners';
import type { QueryResultRow } from 'pg';
import type { Database } from '../database/database';
import { hashOfName } from '../payments/sealed-payment';

/** A subscription about to be bought. */
export interface Purchase {
  readonly domain: string;
  /** Lower case. */
  readonly payer: string;
  readonly keyHash: string;
  readonly paymentDigest: string;
  readonly days: number;
}

/** A subscription as it is told, for Prisma and for SQL. */
const TOLD = { id: true, domain: true, payer: true, since: true, expiresAt: true, revokedAt: true } as const;
const COLUMNS = 'id, domain, payer, since, expires_at AS "expiresAt", revoked_at AS "revokedAt"';

const DAY_MS = 86_400_000;
/** The operator types ids; Postgres refuses what is none. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Work is done before the money moves: until it has, only its own purchase finds a subscription. */
const PAID = `(payment_digest IS NULL OR EXISTS (
  SELECT FROM payment_attempt
  WHERE payload_digest = payment_digest AND sku = 'subscription' AND state = 'settled'))`;

/** States of a payment that may still be settled without being presented again. */
const UNDER_WAY = `('verified', 'working', 'answer_stored', 'settling', 'settle_unknown')`;

/**
 * Subscriptions in Postgres. Of a key only the hash is here. What depends on the payment is SQL: no foreign key leads to
 * it that Prisma could follow, and a purchase or the showing of a key is one statement, so that no two of them meet.
 */
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
    return row;
  }

  /**
   * Hash of the key that a payment bought, for the first request with it that drove the sale, or for one that knows the
   * name which that first request gave; undefined otherwise. Of the payment itself nothing is secret: it is sent to the
   * facilitator, and once it is settled it is on the chain.
   */
  async showKey(
    paymentDigest: string,
    shownTo: 'first' | { readonly name: string | null },
  ): Promise<string | undefined> {
    const first = shownTo === 'first';
    const name = first ? null : hashOfName(await this.database.secrets.vault(), shownTo.name);
    const [row] = await this.query<{ keyHash: string }>(
      `SELECT key_hash AS "keyHash" FROM subscription WHERE payment_digest = $1 AND ($2 OR EXISTS (
         SELECT FROM payment_attempt
         WHERE payload_digest = $1 AND sku = 'subscription' AND payment_identifier = $3 AND named_first))`,
      [paymentDigest, first, name],
    );
    return row?.keyHash;
  }

  /** Ends the key of a subscription and gives it another one; undefined when the subscription was revoked. */
  async changeKey(id: string, keyHash: string): Promise<Subscription | undefined> {
    const [row] = await this.query(
      `UPDATE subscription SET key_hash = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING ${COLUMNS}`,
      [id, keyHash],
    );
    return row;
  }

  /** The operator's gift. */
  async grant(domain: string, keyHash: string, days: number): Promise<Subscription> {
    const since = new Date();
    const expiresAt = new Date(since.getTime() + days * DAY_MS);
    const data = { id: randomUUID(), domain, keyHash, since, expiresAt };
    return this.database.prisma.subscription.create({ data, select: TOLD });
  }

  async findByKey(keyHash: string): Promise<Subscription | undefined> {
    const [row] = await this.query(`SELECT ${COLUMNS} FROM subscription WHERE key_hash = $1 AND ${PAID}`, [keyHash]);
    return row;
  }

  /** The payer's subscription of an origin that lasts longest; a revoked one only when there is no other. */
  async findByPayer(domain: string, payer: string): Promise<Subscription | undefined> {
    const [row] = await this.query(
      `SELECT ${COLUMNS} FROM subscription WHERE domain = $1 AND payer = $2 AND ${PAID}
       ORDER BY revoked_at IS NOT NULL, expires_at DESC LIMIT 1`,
      [domain, payer],
    );
    return row;
  }

  /** All that are paid for, the newest first. */
  async list(): Promise<readonly Subscription[]> {
    return this.query(`SELECT ${COLUMNS} FROM subscription WHERE ${PAID} ORDER BY since DESC, id`, []);
  }

  /** The subscription, revoked from now on or as long as it was before; undefined when there is none. */
  async revoke(id: string): Promise<Subscription | undefined> {
    const { subscription } = this.database.prisma;
    if (!UUID.test(id)) return undefined;
    await subscription.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
    return (await subscription.findUnique({ where: { id }, select: TOLD })) ?? undefined;
  }

  private async query<Row extends QueryResultRow = Subscription>(
    sql: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    return (await this.database.pool.query<Row>(sql, [...values])).rows;
  }
}
