import { randomBytes } from 'node:crypto';
import type { ClaimLevel } from './proof';
import { levelIn, type CheckFinding, type ClaimFinding } from './proofs';

const DAY_MS = 86_400_000;

/** An unverified claim expires after this time. */
const PENDING_MS = 7 * DAY_MS;
/** A claim by file expires after this time, because somebody who takes over a host can publish the file as well. */
const HTTP_CLAIM_MS = 30 * DAY_MS;
/** How long after the last sighting a claim lapses: a day until the next check, and 14 days of grace. */
export const LAPSE_MS = 15 * DAY_MS;
/** A claim that could not be checked for this long is in grace. */
const UNSEEN_MS = 2 * DAY_MS;
/**
 * The maximum number of unverified claims of a host. Another one replaces the oldest claim of the caller with the most
 * claims.
 */
export const UNPROVED_PER_HOST = 10;
/**
 * The minimum seconds between two checks of a claim, whoever requests them. For an unverified claim, the pause grows
 * with each check that found nothing.
 */
const CHECK_PAUSES_SEC = [60, 300, 1_800, 10_800] as const;

export const CLAIM_STATUSES = ['pending', 'verified', 'grace', 'lapsed'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** The progress of a claim. */
export interface ClaimProgress {
  readonly createdAt: Date;
  /**
   * How far apart the two sightings that verify a claim must be, in milliseconds: a forged answer rarely lasts that
   * long.
   */
  readonly confirmMs: number;
  /** Null until a record or file was found. */
  readonly level: ClaimLevel | null;
  /** When this level was first found. */
  readonly levelSince: Date | null;
  readonly lastSeenAt: Date | null;
  /** The last conclusive check did not find it, or found the host in another zone. */
  readonly missing: boolean;
}

/** A claim and its creator. */
interface BegunClaim extends Pick<ClaimProgress, 'createdAt'> {
  readonly id: string;
  readonly caller: string;
}

/** A claim after a check. */
export interface CheckedClaim extends ClaimProgress {
  /** Those of the registrable domain when the record was last found; empty if unknown. */
  readonly nameServers: readonly string[];
}

/** When a claim expires even if its file stays published; null for a claim by DNS. */
export function claimEndsAt({ createdAt, level, levelSince }: ClaimProgress): Date | null {
  if (level === null || levelSince === null) return new Date(createdAt.getTime() + PENDING_MS);
  return level === 'http' ? new Date(levelSince.getTime() + HTTP_CLAIM_MS) : null;
}

/** A lapsed claim stays lapsed. */
export function claimStatus(claim: ClaimProgress, now: Date): ClaimStatus {
  const endsAt = claimEndsAt(claim);
  if (endsAt !== null && now >= endsAt) return 'lapsed';
  if (claim.lastSeenAt === null) return 'pending';
  const unseenMs = now.getTime() - claim.lastSeenAt.getTime();
  if (unseenMs >= LAPSE_MS) return 'lapsed';
  if (claim.missing) return 'grace';
  if (!isConfirmed(claim)) return 'pending';
  return unseenMs >= UNSEEN_MS ? 'grace' : 'verified';
}

/** When a watch of the claim would end; null unless it is verified by DNS, because only DNS claims include watches. */
export function watchEndsAt(claim: ClaimProgress, now: Date): Date | null {
  return claimStatus(claim, now) === 'verified' ? watchesEndAt(claim) : null;
}

/** The effects of a check on a claim and its watches, and the alert for its owner. */
export function claimAfter(
  claim: CheckedClaim & { readonly unseenChecks: number },
  { nameServers, ...finding }: CheckFinding,
  now: Date,
) {
  const changed = controlAfter(claim, finding, now, nameServers ?? []);
  const after = { ...claim, ...changed };
  const endsAt = watchesEndAt(after);
  const unseenChecks = after.level === null ? claim.unseenChecks + 1 : 0;
  return {
    row: { ...changed, unseenChecks, finding, checkedAt: now },
    alerts: after.missing && !claim.missing ? (['claim.lapsing'] as const) : [],
    watches: endsAt && { endsAt },
  };
}

/**
 * An inconclusive check changes nothing. A new level must be found twice again, and so must a record in another zone,
 * because somebody may have bought the name.
 */
function controlAfter(claim: CheckedClaim, finding: ClaimFinding, at: Date, nameServers: readonly string[]) {
  if (claimStatus(claim, at) === 'lapsed') return {};
  const { zone } = finding;
  const level = zone === 'gone' ? null : levelIn(finding, claim.level);
  if (level === 'unknown' && zone !== 'moved') return {};
  // A verified claim goes into grace; others start again.
  const wasVerified = claim.missing || isConfirmed(claim);
  if (level === 'unknown' || level === null) {
    return wasVerified ? { missing: true } : { level: null, levelSince: null, lastSeenAt: null };
  }
  const isAsBefore = level === claim.level;
  const levelSince = isAsBefore ? claim.levelSince : at;
  const seen = { level, levelSince, lastSeenAt: at, ...(nameServers.length > 0 && { nameServers: [...nameServers] }) };
  if (zone === 'moved') return wasVerified ? { ...seen, missing: true } : { ...seen, levelSince: at };
  if (isAsBefore && claim.missing && !isApart(claim.lastSeenAt, at, claim)) return {};
  return { ...seen, missing: false };
}

/** Watches depend on the zone of the host: they last as long as the claim does without another sighting. */
function watchesEndAt({ level, lastSeenAt }: ClaimProgress): Date | null {
  return level === 'dns' && lastSeenAt ? new Date(lastSeenAt.getTime() + LAPSE_MS) : null;
}

/** Whether a check is allowed now, because the pause after the last one is over. */
export function isCheckDue(
  { askedAt, unseenChecks }: { readonly askedAt: Date | null; readonly unseenChecks: number },
  now: Date,
): boolean {
  const pauseSec = CHECK_PAUSES_SEC[Math.max(0, unseenChecks - 1)] ?? Math.max(...CHECK_PAUSES_SEC);
  return askedAt === null || now.getTime() - askedAt.getTime() >= pauseSec * 1_000;
}

/** The unverified claims that end because a host has too many: the oldest ones of the caller with the most claims. */
export function surplusClaims(unproved: readonly BegunClaim[]): readonly string[] {
  const newestFirst = unproved.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const turnOf = ({ id, caller }: BegunClaim): number =>
    newestFirst.filter((claim) => claim.caller === caller).findIndex((claim) => claim.id === id);
  const inTurns = newestFirst.toSorted((a, b) => turnOf(a) - turnOf(b));
  return inTurns.slice(UNPROVED_PER_HOST).map(({ id }) => id);
}

/** Whether the owner of a claim may end another one: a DNS owner may end a claim by file of the same host. */
export function mayEnd(
  own: ClaimProgress & { readonly domain: string },
  other: ClaimProgress & { readonly domain: string },
  now: Date,
): boolean {
  return own.domain === other.domain && watchEndsAt(own, now) !== null && other.level === 'http';
}

function isConfirmed(claim: ClaimProgress): boolean {
  return isApart(claim.levelSince, claim.lastSeenAt, claim);
}

function isApart(from: Date | null, to: Date | null, { confirmMs }: Pick<ClaimProgress, 'confirmMs'>): boolean {
  return from !== null && to !== null && to.getTime() - from.getTime() >= confirmMs;
}

/** A new challenge to publish: 256 random bits in hex. It is public, and does not prove anything for another claim. */
export function newChallenge(): string {
  return randomBytes(32).toString('hex');
}
