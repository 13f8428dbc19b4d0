import { randomUUID } from 'node:crypto';
import { renewedUntil, type Subscription } from '@app/owners';
import { takeTurn } from '../database/clock';
import type { Database, Transaction } from '../database/database';
import { isUuid } from '../database/uuid';
import type { Prisma } from '../generated/client';
import { boughtByName } from '../payments/bought-by-name';

/** The data of a purchase. */
export interface Purchase {
  readonly domain: string;
  /** Lower case. */
  readonly payer: string;
  readonly keyHash: string;
  readonly paymentDigest: string;
  readonly days: number;
}

const PUBLIC_COLUMNS = {
  ...{ id: true, domain: true, payer: true, createdAt: true, endsAt: true, revokedAt: true },
} as const satisfies Prisma.SubscriptionSelect;

const DAY_MS = 86_400_000;

/** Subscriptions in Postgres. Only the hash of a key is stored. */
export class SubscriptionRepository {
  constructor(private readonly database: Database) {}

  /**
   * The subscription that a payment buys; created if it does not exist yet. A renewal adds its days to the remaining
   * time, so purchases of one payer are handled one after the other: undefined while another one is not settled yet.
   */
  async purchase({ days, ...bought }: Purchase): Promise<Subscription | undefined> {
    const { domain, payer, paymentDigest } = bought;
    return this.database.inTransaction(async (tx) => {
      const createdAt = await takeTurn(tx, `subscription ${payer} ${domain}`);
      const known = await tx.subscription.findUnique({ where: { paymentDigest }, select: PUBLIC_COLUMNS });
      if (known) return known;
      const held = await withPayments(tx, await tx.subscription.findMany({ where: { domain, payer } }));
      const endsAt = renewedUntil(held, days, createdAt);
      if (!endsAt) return undefined;
      return tx.subscription.create({
        data: { id: randomUUID(), ...bought, createdAt, endsAt },
        select: PUBLIC_COLUMNS,
      });
    });
  }

  /**
   * The hash of the key that a payment bought, for the first request that completed the sale, or for one that knows the
   * purchase name.
   */
  async showKey(
    paymentDigest: string,
    shownTo: 'first' | { readonly name: string | null },
  ): Promise<string | undefined> {
    const knows =
      shownTo === 'first' || (await boughtByName(this.database, 'subscription', paymentDigest, shownTo.name));
    const row = knows && (await this.database.prisma.subscription.findUnique({ where: { paymentDigest } }));
    return row ? row.keyHash : undefined;
  }

  /** Replaces the key of a subscription; undefined if it was revoked. */
  async changeKey(id: string, keyHash: string): Promise<Subscription | undefined> {
    const where = { id, revokedAt: null };
    const { subscription } = this.database.prisma;
    const [row] = await subscription.updateManyAndReturn({ where, data: { keyHash }, select: PUBLIC_COLUMNS });
    return row;
  }

  /** Creates a free subscription for the operator. */
  async grant(domain: string, keyHash: string, days: number): Promise<Subscription> {
    const createdAt = new Date();
    const endsAt = new Date(createdAt.getTime() + days * DAY_MS);
    const data = { id: randomUUID(), domain, keyHash, createdAt, endsAt };
    return this.database.prisma.subscription.create({ data, select: PUBLIC_COLUMNS });
  }

  async findByKey(keyHash: string): Promise<Subscription | undefined> {
    const [found] = await this.paid({ where: { keyHash } });
    return found;
  }

  /** The payer's longest subscription to an origin; a revoked one only if there is no other. */
  async findByPayer(domain: string, payer: string): Promise<Subscription | undefined> {
    const found = await this.paid({ where: { domain, payer }, orderBy: { endsAt: 'desc' } });
    return found.find(({ revokedAt }) => revokedAt === null) ?? found[0];
  }

  /** All paid subscriptions, the newest first. */
  async list(): Promise<readonly Subscription[]> {
    return this.paid({ orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] });
  }

  /** Revokes a subscription, or keeps its earlier revocation; undefined if it does not exist. */
  async revoke(id: string): Promise<Subscription | undefined> {
    const { subscription } = this.database.prisma;
    if (!isUuid(id)) return undefined;
    await subscription.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
    return (await subscription.findUnique({ where: { id }, select: PUBLIC_COLUMNS })) ?? undefined;
  }

  /** A sale does its work before the money moves. Until then, only its own purchase can find the subscription. */
  private async paid(which: Prisma.SubscriptionFindManyArgs): Promise<readonly Subscription[]> {
    const { prisma } = this.database;
    const rows = await withPayments(prisma, await prisma.subscription.findMany(which));
    const paid = rows.filter(({ payments }) => payments?.includes('settled') ?? true);
    return paid.map(({ id, domain, payer, createdAt, endsAt, revokedAt }) => ({
      ...{ id, domain, payer, createdAt, endsAt, revokedAt },
    }));
  }
}

/** Adds the payment state to subscriptions (there is no foreign key); null for a free one. */
async function withPayments<Row extends { readonly paymentDigest: string | null }>(
  { paymentAttempt }: Transaction,
  rows: readonly Row[],
): Promise<readonly (Row & { readonly payments: readonly string[] | null })[]> {
  const digests = rows.flatMap(({ paymentDigest }) => paymentDigest ?? []);
  const attempts = await paymentAttempt.findMany({
    where: { payloadDigest: { in: digests }, sku: 'subscription' },
    select: { payloadDigest: true, state: true },
  });
  return rows.map((row) => {
    const own = attempts.filter(({ payloadDigest }) => payloadDigest === row.paymentDigest);
    return { ...row, payments: row.paymentDigest === null ? null : own.map(({ state }) => state) };
  });
}
