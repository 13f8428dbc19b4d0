import { randomBytes } from 'node:crypto';
import {
  hasRoom,
  newAlertId,
  VERIFY_TYPE,
  WATCH_OWNERS,
  WATCH_STATUSES,
  watchEndsAt,
  type WatchCounts,
  type WatchPrice,
  type WatchStatus,
} from '@app/owners';
import { defined } from '@app/platform';
import { z } from 'zod';
import { holdRow, takeTurn, timeOf } from '../database/clock';
import type { Database, Transaction } from '../database/database';
import { Prisma, type Watch as WatchRow } from '../generated/client';
import { boughtByName } from '../payments/bought-by-name';
import { watchMayBePaid } from './alert-outbox';
import { openClaim } from './claim.repository';
import { openReceiver, sealReceiver } from './sealed-receiver';

const PUBLIC_COLUMNS = {
  ...{ id: true, domain: true, url: true, types: true, state: true, reason: true },
  ...{ createdAt: true, endsAt: true, failingSince: true, alertsLeft: true },
} as const satisfies Prisma.WatchSelect;

/** A watch as its owner sees it. */
export type Watch = Omit<Prisma.WatchGetPayload<{ select: typeof PUBLIC_COLUMNS }>, 'state'> & {
  readonly status: WatchStatus;
};

const ATTEMPT = {
  ...{ state: true, failures: true, triedAt: true, outcome: true, excerpt: true },
  alert: { select: { id: true, type: true, at: true } },
} as const satisfies Prisma.AlertDeliverySelect;
type Attempt = Prisma.AlertDeliveryGetPayload<{ select: typeof ATTEMPT }>;

const DeliveryStatus = z.enum(['due', 'delivered', 'exhausted']);

/** The last attempt of a delivery. */
export type Delivery = Omit<Attempt, 'state' | 'alert'> &
  Omit<Attempt['alert'], 'at'> & { readonly status: z.infer<typeof DeliveryStatus>; readonly createdAt: Date };

/**
 * The owner of a watch and the end of its validity: a claim or a subscription by its id, or a payment by its digest.
 */
export interface WatchOwner {
  readonly kind: keyof typeof WATCH_OWNERS;
  readonly id: string;
  readonly endsAt: Date;
}

/** A watch to create. Its secret is already encrypted, its URL is not. */
export type NewWatch = Pick<WatchRow, 'id' | 'domain' | 'url' | 'site' | 'hostSite' | 'keyHash' | 'secret'> & {
  readonly types: readonly string[];
};

/** For each kind of owner: the column for it, and SQL that locks its row and checks that it still exists. */
const OWNERS = {
  claim: (claimId: string) => ({
    owned: { claimId },
    locked: Prisma.sql`SELECT FROM claim WHERE id = ${claimId}::uuid FOR KEY SHARE`,
  }),
  subscription: (subscriptionId: string) => ({
    owned: { subscriptionId },
    locked: Prisma.sql`SELECT FROM subscription
      WHERE id = ${subscriptionId}::uuid AND revoked_at IS NULL AND ends_at > now() FOR SHARE`,
  }),
  payment: (paymentDigest: string) => ({ owned: { paymentDigest }, locked: undefined }),
} as const;

/** The changeable fields of a watch. */
export interface WatchChange {
  readonly receiver?: { readonly url: string; readonly site: string };
  readonly types?: readonly string[];
}

/** The state of a watch whose receiver was not tried yet and has not answered the challenge. */
const UNVERIFIED = {
  ...{ state: 'pending', reason: null, failures: 0, failingSince: null, pausedUntil: null, slow: false },
} as const satisfies Prisma.WatchUpdateInput;

/** How many deliveries an owner is shown. */
const MAX_SHOWN = 50;

/** Watches in Postgres. Only the hash of a key is stored. */
export class WatchRepository {
  /** @param confirmMs how far apart the two sightings of a claim's record or file must be */
  constructor(
    private readonly database: Database,
    private readonly confirmMs: number,
  ) {}

  /** The claim of that key, and when a watch of it would end; null if the claim allows none. */
  async claimOf(
    domain: string,
    keyHash: string,
  ): Promise<{ readonly id: string; readonly endsAt: Date | null } | undefined> {
    const row = await this.database.prisma.claim.findUnique({ where: { keyHash, domain } });
    return row ? { id: row.id, endsAt: watchEndsAt(openClaim(row, this.confirmMs), new Date()) } : undefined;
  }

  /** Whether the host can have another paid watch. */
  async isForSale(domain: string, site: string): Promise<boolean> {
    return hasRoom('bought', await counted(this.database.prisma, 'bought', domain, site));
  }

  /**
   * Creates a watch, unless its owner or host has reached the limit, or its owner was deleted meanwhile. The receiver
   * is then sent a challenge.
   */
  async open(watch: NewWatch, { kind, id, endsAt }: WatchOwner): Promise<Watch | 'too_many' | 'owner_gone'> {
    const { price, most, alerts: alertsLeft } = WATCH_OWNERS[kind];
    const { owned, locked } = OWNERS[kind](id);
    const { domain, hostSite } = watch;
    const url = sealReceiver(await this.database.secrets.vault(), domain, watch.url);
    return this.database.inTransaction(async (tx) => {
      const now = await takeTurn(tx, `watches of ${hostSite}`);
      if (locked && (await tx.$executeRaw(locked)) === 0) return 'owner_gone';
      if ((await tx.watch.count({ where: owned })) >= most) return 'too_many';
      if (!hasRoom(price, await counted(tx, price, domain, hostSite))) return 'too_many';
      const deliveries = { create: challengeAt(now, domain) };
      const row = { ...watch, ...owned, url, types: [...watch.types], createdAt: now, endsAt, alertsLeft, deliveries };
      return { ...toWatch(await tx.watch.create({ data: row, select: PUBLIC_COLUMNS })), url: watch.url };
    });
  }

  /** The watch that a payment bought. */
  async ofPayment(paymentDigest: string): Promise<Watch | undefined> {
    return this.read({ paymentDigest });
  }

  /**
   * For the watch that a payment bought: the hash of its key, and whether its secret was rotated. Undefined unless the
   * first request with the payment gave this purchase name.
   */
  async boughtByName(
    paymentDigest: string,
    name: string | null,
  ): Promise<{ readonly keyHash: string; readonly rotated: boolean } | undefined> {
    if (!(await boughtByName(this.database, 'watch', paymentDigest, name))) return undefined;
    const row = await this.database.prisma.watch.findUnique({ where: { paymentDigest } });
    return row ? { keyHash: row.keyHash, rotated: row.rotatedAt !== null } : undefined;
  }

  /** The watch with this id and key. A wrong key and an unknown watch get the same answer. */
  async find(id: string, keyHash: string): Promise<Watch | undefined> {
    const watch = await this.read({ keyHash });
    return watch?.id === id.toLowerCase() ? watch : undefined;
  }

  /**
   * Up to `limit` watches of the claim or subscription with this key, or the watch with this key, sorted by id, after
   * `cursor`; undefined if nothing has this key.
   */
  async ofKey(
    of: 'claim' | 'subscription' | 'watch',
    keyHash: string,
    limit: number,
    cursor?: string,
  ): Promise<readonly Watch[] | undefined> {
    const { prisma, secrets } = this.database;
    const found = await KEY_OWNERS[of](prisma, keyHash);
    if (!found) return undefined;
    const rows = await prisma.watch.findMany({
      where: { ...found, AND: { id: defined({ gt: cursor }) } },
      select: PUBLIC_COLUMNS,
      orderBy: { id: 'asc' },
      take: limit,
    });
    const vault = await secrets.vault();
    return rows.map((row) => ({ ...toWatch(row), url: openReceiver(vault, row.domain, row.url) }));
  }

  /**
   * Changes a watch; undefined if it has ended. A new receiver gets a challenge first. The results of running attempts
   * at the old receiver are not recorded, because they would count for the new one.
   */
  async change(id: string, { receiver, types }: WatchChange): Promise<Watch | undefined> {
    const vault = await this.database.secrets.vault();
    return this.database.inTransaction(async (tx) => {
      const now = await holdRow(tx, 'watch', id);
      const before = await tx.watch.findUnique({ where: { id } });
      if (!now || !before || before.state === 'ended' || before.endsAt <= now) return undefined;
      const { domain } = before;
      const url = openReceiver(vault, domain, before.url);
      const moved = receiver && receiver.url !== url ? receiver : undefined;
      if (moved) {
        await tx.alert.deleteMany({ where: { type: VERIFY_TYPE, deliveries: { some: { watchId: id } } } });
        await tx.alertDelivery.updateMany({
          where: { watchId: id, state: 'due' },
          data: { attempt: { increment: 1 } },
        });
      }
      const elsewhere = moved && {
        ...UNVERIFIED,
        url: sealReceiver(vault, domain, moved.url),
        site: moved.site,
        deliveries: { create: challengeAt(now, domain) },
      };
      const data = { ...elsewhere, ...(types && { types: [...types] }) };
      return {
        ...toWatch(await tx.watch.update({ where: { id }, data, select: PUBLIC_COLUMNS })),
        url: moved?.url ?? url,
      };
    });
  }

  private async read(where: Prisma.WatchWhereUniqueInput): Promise<Watch | undefined> {
    const row = await this.database.prisma.watch.findUnique({ where, select: PUBLIC_COLUMNS });
    return row
      ? { ...toWatch(row), url: openReceiver(await this.database.secrets.vault(), row.domain, row.url) }
      : undefined;
  }

  /** Deletes a watch completely. */
  async remove(id: string): Promise<void> {
    await this.database.prisma.watch.deleteMany({ where: { id } });
  }

  /** Replaces the secret; for a day, messages are also signed with the old one. */
  async changeSecret(id: string, sealed: string): Promise<void> {
    // Uses SQL, so that no secret is lost when two rotations run at once.
    await this.database.prisma.$executeRaw`
      UPDATE watch SET former_secret = secret, secret = ${sealed}, rotated_at = now() WHERE id = ${id}::uuid`;
  }

  /** Deliveries, the newest first. */
  async deliveries(id: string): Promise<readonly Delivery[]> {
    const rows = await this.database.prisma.alertDelivery.findMany({
      where: { watchId: id },
      select: ATTEMPT,
      orderBy: [{ alert: { at: 'desc' } }, { alertId: 'asc' }],
      take: MAX_SHOWN,
    });
    const vault = await this.database.secrets.vault();
    return rows.map(({ alert: { at: createdAt, ...alert }, state, excerpt, ...attempt }) => ({
      ...{ ...alert, ...attempt, createdAt, status: DeliveryStatus.parse(state) },
      excerpt: excerpt === null ? null : openReceiver(vault, id, excerpt),
    }));
  }

  /** Redelivers an alert with its id; false if the watch has no such alert. */
  async replay(id: string, alert: string): Promise<boolean> {
    const { prisma } = this.database;
    const where = { watchId: id, alertId: alert };
    const data = { state: 'due', failures: 0, nextAt: await timeOf(prisma) };
    return (await prisma.alertDelivery.updateMany({ where, data })).count === 1;
  }
}

/** The owner of a key, as in the columns of a watch. */
const KEY_OWNERS = {
  claim: async (db: Transaction, keyHash: string) => {
    const row = await db.claim.findUnique({ where: { keyHash }, select: { id: true } });
    return row && { claimId: row.id };
  },
  subscription: async (db: Transaction, keyHash: string) => {
    const row = await db.subscription.findUnique({ where: { keyHash }, select: { id: true } });
    return row && { subscriptionId: row.id };
  },
  watch: async (db: Transaction, keyHash: string) => db.watch.findUnique({ where: { keyHash }, select: { id: true } }),
} as const;

/** The delivery of a challenge that a receiver must answer. */
function challengeAt(now: Date, domain: string) {
  const challenge = { id: newAlertId(), domain, type: VERIFY_TYPE, at: now, subject: randomBytes(24).toString('hex') };
  return { nextAt: now, alert: { create: challenge } };
}

const Counts = z.tuple([z.object({ ofHost: z.int(), ofSite: z.int() })]);

/**
 * Counts the watches against the limits. Those whose payment failed do not count. Uses SQL, because there is no foreign
 * key to payments.
 */
async function counted(tx: Transaction, price: WatchPrice, domain: string, site: string): Promise<WatchCounts> {
  const counts = await tx.$queryRaw`
    SELECT count(*) FILTER (WHERE w.domain = ${domain})::int AS "ofHost", count(*)::int AS "ofSite"
    FROM watch w WHERE w.host_site = ${site} AND w.ends_at > now() AND w.state <> 'ended'
      AND (w.claim_id IS NOT NULL) = ${price === 'free'} AND ${watchMayBePaid('w')}`;
  return Counts.parse(counts)[0];
}

function toWatch<Row extends { readonly state: string }>({
  state,
  ...row
}: Row): Omit<Row, 'state'> & { readonly status: WatchStatus } {
  return { ...row, status: z.enum(WATCH_STATUSES).parse(state) };
}
