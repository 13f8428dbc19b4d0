import { randomUUID } from 'node:crypto';
import {
  CLAIM_LEVELS,
  claimAfter,
  ClaimFinding,
  isCheckDue,
  LAPSE_MS,
  surplusClaims,
  type CheckedClaim,
  type CheckFinding,
} from '@app/owners';
import { z } from 'zod';
import { holdRow, takeTurn, timeOf } from '../database/clock';
import type { Database, Transaction } from '../database/database';
import { Prisma, type Claim as ClaimRow } from '../generated/client';
import { json } from '../database/json';
import { isUuid } from '../database/uuid';
import { writeClaimAlert } from './alert-outbox';

/** A stored claim. */
export type Claim = Omit<ClaimRow, 'level' | 'finding'> & CheckedClaim & { readonly finding: ClaimFinding | null };

/** A finding stored by a version with other kinds of proof counts as missing; the next check replaces it. */
const Known = z.object({ level: z.enum(CLAIM_LEVELS).nullable(), finding: ClaimFinding.nullable().catch(null) });

/** Converts a row to a claim. */
export function openClaim(row: ClaimRow, confirmMs: number): Claim {
  return { ...row, ...Known.parse(row), confirmMs };
}

/** How many other claims are shown with a claim. */
const MAX_SHOWN = 20;
const SINCE_LAPSE = Prisma.raw(`now() - ${LAPSE_MS} * interval '1 millisecond'`);

/** SQL: whether the host of a row has a claim that was seen and has not lapsed. */
export const hostIsClaimed = (table: string): Prisma.Sql => Prisma.sql`EXISTS (SELECT FROM claim c
  WHERE c.domain = ${Prisma.raw(table)}.domain AND c.level IS NOT NULL AND c.last_seen_at > ${SINCE_LAPSE})`;

/** Claims in Postgres. Only the hash of a key is stored. */
export class ClaimRepository {
  /** @param confirmMs how far apart the two sightings of a record or file must be */
  constructor(
    private readonly database: Database,
    private readonly confirmMs: number,
  ) {}

  /**
   * Creates a claim. Verified claims are kept, however many others are created.
   * @param site registrable domain @param caller the caller's network, of which a hash is stored
   */
  async open(domain: string, keyHash: string, challenge: string, site = domain, network?: string): Promise<Claim> {
    const { secrets } = this.database;
    const caller = network === undefined ? '' : (await secrets.vault()).keyedHash('claim_caller', network);
    return this.database.inTransaction(async (tx) => {
      const createdAt = await takeTurn(tx, `claim ${domain}`);
      const data = { id: randomUUID(), domain, keyHash, challenge, site, caller, createdAt };
      const claim = await tx.claim.create({ data });
      const unproved = await tx.claim.findMany({ where: { domain, level: null } });
      await tx.claim.deleteMany({ where: { id: { in: [...surplusClaims(unproved)] } } });
      return this.opened(claim);
    });
  }

  /** The claim with this key. */
  async ofKey(keyHash: string): Promise<Claim | undefined> {
    const row = await this.database.prisma.claim.findUnique({ where: { keyHash } });
    return row ? this.opened(row) : undefined;
  }

  /** The claim for a check. */
  async read(id: string): Promise<Claim | undefined> {
    const row = isUuid(id) && (await this.database.prisma.claim.findUnique({ where: { id } }));
    return row ? this.opened(row) : undefined;
  }

  /** Other claims of the host whose record or file was found. */
  async others({ id, domain }: Pick<Claim, 'id' | 'domain'>): Promise<readonly Claim[]> {
    const where = { domain, id: { not: id }, level: { not: null } };
    const orderBy = [{ createdAt: 'asc' }, { id: 'asc' }] as const;
    const rows = await this.database.prisma.claim.findMany({ where, orderBy: [...orderBy], take: MAX_SHOWN });
    return rows.map((row) => this.opened(row));
  }

  /** Replaces the key of a claim. */
  async changeKey(id: string, former: string, keyHash: string): Promise<Claim | undefined> {
    const { claim } = this.database.prisma;
    const [row] = await claim.updateManyAndReturn({ where: { id, keyHash: former }, data: { keyHash } });
    return row && this.opened(row);
  }

  /** Deletes a claim completely. */
  async remove(id: string): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await holdRow(tx, 'claim', id);
      await holdWatches(tx, id);
      await tx.claim.deleteMany({ where: { id } });
    });
  }

  /** Whether a check of the claim is allowed now. */
  async mayCheck(id: string): Promise<boolean> {
    const { prisma } = this.database;
    const claim = await prisma.claim.findUnique({ where: { id } });
    return claim !== null && isCheckDue(claim, await timeOf(prisma));
  }

  /** Starts the pause after a check was enqueued. */
  async noteAsked(id: string): Promise<void> {
    const { prisma } = this.database;
    await prisma.claim.updateMany({ where: { id }, data: { askedAt: await timeOf(prisma) } });
  }

  /**
   * Takes claims for scheduled checks: those found once, to confirm them, and all other active ones a day after their
   * last check, even if somebody requested one since. If a check fails to run, it is tried again after growing pauses.
   */
  async takeDue(most: number): Promise<readonly Claim[]> {
    const confirmation = Prisma.sql`${this.confirmMs} * interval '1 millisecond'`;
    // Uses SQL to skip claims that another worker is taking.
    const taken = await this.database.prisma.$queryRaw`
      UPDATE claim SET asked_at = now() WHERE id IN (
        SELECT id FROM claim WHERE level IS NOT NULL AND last_seen_at > ${SINCE_LAPSE}
          AND checked_at <= now() - CASE WHEN last_seen_at - level_since < ${confirmation} THEN ${confirmation} ELSE interval '1 day' END
          AND asked_at <= now() - (now() - checked_at) / 4
        ORDER BY asked_at LIMIT ${most} FOR UPDATE SKIP LOCKED)
      RETURNING id`;
    const ids = Ids.parse(taken).map(({ id }) => id);
    const rows = ids.length === 0 ? [] : await this.database.prisma.claim.findMany({ where: { id: { in: ids } } });
    return rows.map((row) => this.opened(row));
  }

  /** Writes the result of a check, unless the claim was deleted. */
  async record(id: string, found: CheckFinding): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      const now = await holdRow(tx, 'claim', id);
      if (!now) return;
      const claim = this.opened(await tx.claim.findUniqueOrThrow({ where: { id } }));
      const { row, alerts, watches } = claimAfter(claim, found, now);
      await tx.claim.updateMany({ where: { id }, data: { ...row, finding: json(row.finding) } });
      for (const type of alerts) await writeClaimAlert(tx, type, claim, now);
      if (watches === null) return;
      await holdWatches(tx, id);
      await tx.watch.updateMany({ where: { claimId: id }, data: watches });
    });
  }

  private opened(row: ClaimRow): Claim {
    return openClaim(row, this.confirmMs);
  }
}

/** Locks the watches of a claim in the order of their ids, like the fan-out of alerts. Uses SQL for that order. */
async function holdWatches(tx: Transaction, claim: string): Promise<void> {
  await tx.$executeRaw`SELECT FROM watch WHERE claim_id = ${claim}::uuid ORDER BY id FOR UPDATE`;
}

const Ids = z.array(z.object({ id: z.string() }));
