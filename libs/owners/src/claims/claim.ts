import { randomBytes } from 'node:crypto';
import type { ClaimLevel } from './proof';
import { levelIn, type CheckFinding, type ClaimFinding } from './proofs';

const DAY_MS = 86_400_000;

/** A claim that was never proved ends after this. */
const PENDING_MS = 7 * DAY_MS;
/** A claim by file expires after this, because somebody who takes over a host can publish the file as well. */
const HTTP_CLAIM_MS = 30 * DAY_MS;
/** How long after control was last seen a claim ends: a day until the next check, and 14 of grace. */
export const LAPSE_MS = 15 * DAY_MS;
/** A claim that could not be checked for so long is in grace. */
const UNSEEN_MS = 2 * DAY_MS;
/** Maximum unverified claims of a host. Another one replaces the oldest claim of the caller with the most claims. */
export const UNPROVED_PER_HOST = 10;
/**
 * A claim is checked at most once in so many seconds, however many ask: after as many checks as there are pauses before,
 * where control was never seen.
 */
const CHECK_PAUSES_SEC = [60, 300, 1_800, 10_800] as const;

export const CLAIM_STATUSES = ['pending', 'verified', 'grace', 'lapsed'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** How far a claim came. */
export interface ClaimProgress {
  readonly createdAt: Date;
  /** Control counts when it was seen twice, so far apart, in milliseconds: a forged answer rarely stays that long. */
  readonly confirmMs: number;
  /** Null until control was seen. */
  readonly level: ClaimLevel | null;
  /** Since when that level is seen. */
  readonly levelSince: Date | null;
  readonly lastSeenAt: Date | null;
  /** The last check that could tell did not find it, or found the host in another zone. */
  readonly missing: boolean;
}

/** A claim that was begun, by whom. */
interface BegunClaim extends Pick<ClaimProgress, 'createdAt'> {
  readonly id: string;
  readonly caller: string;
}

/** A claim as a check leaves it. */
export interface CheckedClaim extends ClaimProgress {
  /** Of the registrable domain when control was last seen; none where that is not known. */
  readonly nameServers: readonly string[];
}

/** When a claim ends whatever is published; null for one by DNS. */
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

/** When a watch of the claim would end; null unless it is verified by DNS, since no other gives watches. */
export function watchEndsAt(claim: ClaimProgress, now: Date): Date | null {
  return claimStatus(claim, now) === 'verified' ? watchesEndAt(claim) : null;
}

/** How a check changes a claim and its watches, and what its owner is told. */
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
 * What could not be found out changes nothing; another level has to be seen twice again, and so has control in another zone:
 * that may be of who bought the name.
 */
function controlAfter(claim: CheckedClaim, finding: ClaimFinding, at: Date, nameServers: readonly string[]) {
  if (claimStatus(claim, at) === 'lapsed') return {};
  const { zone } = finding;
  const level = zone === 'gone' ? null : levelIn(finding, claim.level);
  if (level === 'unknown' && zone !== 'moved') return {};
  // In grace when it gave rights, and else as it began.
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

/** What sends alerts rests on the zone of the host: it holds as long as the claim does, seen from the last time. */
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

/** The unverified claims that end because a host has too many: the oldest of the caller with the most claims. */
export function surplusClaims(unproved: readonly BegunClaim[]): readonly string[] {
  const newestFirst = unproved.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const turnOf = ({ id, caller }: BegunClaim): number =>
    newestFirst.filter((claim) => claim.caller === caller).findIndex((claim) => claim.id === id);
  const inTurns = newestFirst.toSorted((a, b) => turnOf(a) - turnOf(b));
  return inTurns.slice(UNPROVED_PER_HOST).map(({ id }) => id);
}

/** Whether the owner of a claim may end another one: by DNS one of the same host that rests on its web server. */
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

/** What an owner publishes: 256 random bits in hex. It is public, and proves nothing for the key of another claim. */
export function newChallenge(): string {
  return randomBytes(32).toString('hex');
}
