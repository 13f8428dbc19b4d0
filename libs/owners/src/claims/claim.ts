import { createHash, randomBytes } from 'node:crypto';
import type { ClaimFinding } from './published';

const DAY_MS = 86_400_000;
const CLAIM_KEY = /^hpo_[A-Za-z0-9_-]{43}$/;

/** A claim that was never proved ends after this. */
export const PENDING_MS = 7 * DAY_MS;
/** A claim by a file ends after this: what takes over a host serves the file, too. */
export const FILE_CLAIM_MS = 30 * DAY_MS;
/** How long after control was last seen a claim ends: a day until the next check, and 14 of grace. */
export const LAPSE_MS = 15 * DAY_MS;
/** A claim that could not be checked for so long is in grace. */
const UNSEEN_MS = 2 * DAY_MS;
/** Claims of a host without control: another one takes the room of the oldest of the caller who began most. */
export const UNPROVED_PER_HOST = 10;
/**
 * A claim is checked at most once in so many seconds, however many ask: after as many checks as there are pauses before,
 * where control was never seen.
 */
const CHECK_PAUSES_SEC = [60, 300, 1_800, 10_800] as const;

/**
 * What a claim rests on: a record in the zone, a record reached through a CNAME, whose target controls the claim, or a
 * file, which who controls the web server can publish.
 */
export const CLAIM_LEVELS = ['dns', 'dns-delegated', 'http'] as const;
type ClaimLevel = (typeof CLAIM_LEVELS)[number];

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

/** A lapsed claim stays lapsed. */
export function claimStatus(claim: ClaimProgress, now: Date): ClaimStatus {
  const { createdAt, level, levelSince, lastSeenAt, missing } = claim;
  const age = (from: Date): number => now.getTime() - from.getTime();
  if (level === null || levelSince === null || lastSeenAt === null) {
    return age(createdAt) >= PENDING_MS ? 'lapsed' : 'pending';
  }
  if (age(lastSeenAt) >= LAPSE_MS) return 'lapsed';
  if (level === 'http' && age(levelSince) >= FILE_CLAIM_MS) return 'lapsed';
  if (missing) return 'grace';
  if (!isConfirmed(claim)) return 'pending';
  return age(lastSeenAt) >= UNSEEN_MS ? 'grace' : 'verified';
}

/**
 * The claim after a check. What could not be found out changes nothing; another level has to be seen twice again, and so has
 * control in another zone: that may be of who bought the name.
 * @param nameServers that the registrable domain has; none where that is not known
 */
export function afterCheck(
  claim: CheckedClaim,
  finding: ClaimFinding,
  at: Date,
  nameServers: readonly string[] = [],
): CheckedClaim {
  if (claimStatus(claim, at) === 'lapsed') return claim;
  const { zone } = finding;
  const level = zone === 'gone' ? null : levelOf(finding);
  if (level !== claim.level && claim.level !== null && isInDoubt(claim.level, finding)) {
    return zone === 'gone' || zone === 'moved' ? withoutControl(claim) : claim;
  }
  if (level === null) return withoutControl(claim);
  const isAsBefore = level === claim.level;
  const known = nameServers.length > 0 ? nameServers : claim.nameServers;
  const levelSince = isAsBefore ? claim.levelSince : at;
  const seen = { ...claim, level, levelSince, lastSeenAt: at, nameServers: known };
  if (zone === 'moved') return wasVerified(claim) ? { ...seen, missing: true } : { ...seen, levelSince: at };
  if (isAsBefore && claim.missing && !isApart(claim.lastSeenAt, at, claim)) return claim;
  return { ...seen, missing: false };
}

/** What a check of a claim changes: its row, whether its owner is told that it lapses, and until when its watches hold. */
export function checkChanges(
  claim: CheckedClaim & { readonly unseenChecks: number },
  finding: ClaimFinding,
  at: Date,
  nameServers: readonly string[] = [],
) {
  const { level, levelSince, lastSeenAt, missing, nameServers: known } = afterCheck(claim, finding, at, nameServers);
  const unseenChecks = level === null ? claim.unseenChecks + 1 : 0;
  return {
    row: { level, levelSince, lastSeenAt, missing, nameServers: [...known], unseenChecks, finding, checkedAt: at },
    isLapsing: missing && !claim.missing,
    // What sends alerts rests on the zone of the host: it holds as long as the claim does, seen from the last time.
    watchesEndAt: level === 'dns' && lastSeenAt ? new Date(lastSeenAt.getTime() + LAPSE_MS) : null,
  };
}

/** Whether a check may be asked for now: the pause after the last one is over. */
export function isCheckDue(
  { askedAt, unseenChecks }: { readonly askedAt: Date | null; readonly unseenChecks: number },
  now: Date,
): boolean {
  const pauseSec = CHECK_PAUSES_SEC[Math.max(0, unseenChecks - 1)] ?? Math.max(...CHECK_PAUSES_SEC);
  return askedAt === null || now.getTime() - askedAt.getTime() >= pauseSec * 1_000;
}

/** Which claims of a host end because it has too many without control: of who began most the oldest. */
export function surplusClaims(unproved: readonly BegunClaim[]): readonly string[] {
  const newestFirst = unproved.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const turnOf = ({ id, caller }: BegunClaim): number =>
    newestFirst.filter((claim) => claim.caller === caller).findIndex((claim) => claim.id === id);
  const inTurns = newestFirst.toSorted((a, b) => turnOf(a) - turnOf(b));
  return inTurns.slice(UNPROVED_PER_HOST).map(({ id }) => id);
}

/** Whether who holds a claim may end another one: by DNS one of the same host that rests on a file. */
export function mayEnd(
  own: ClaimProgress & { readonly domain: string },
  other: ClaimProgress & { readonly domain: string },
  now: Date,
): boolean {
  if (own.domain !== other.domain || own.level !== 'dns' || claimStatus(own, now) !== 'verified') return false;
  return other.level === 'http';
}

function levelOf({ dns, target, file }: ClaimFinding): ClaimLevel | null {
  if (dns === 'found') return target === null ? 'dns' : 'dns-delegated';
  return file === 'found' ? 'http' : null;
}

/** Whether a check could not tell if what the level rests on is still there. */
function isInDoubt(level: ClaimLevel, { dns, file }: ClaimFinding): boolean {
  if (level === 'http') return dns !== 'found' && file === 'unknown';
  return dns === 'unknown' || dns === 'disagree';
}

/** In grace when it gave rights, and else as it began. */
function withoutControl(claim: CheckedClaim): CheckedClaim {
  if (wasVerified(claim)) return { ...claim, missing: true };
  return { ...claim, level: null, levelSince: null, lastSeenAt: null };
}

function wasVerified(claim: ClaimProgress): boolean {
  return claim.missing || isConfirmed(claim);
}

function isConfirmed(claim: ClaimProgress): boolean {
  return isApart(claim.levelSince, claim.lastSeenAt, claim);
}

function isApart(from: Date | null, to: Date | null, { confirmMs }: Pick<ClaimProgress, 'confirmMs'>): boolean {
  return from !== null && to !== null && to.getTime() - from.getTime() >= confirmMs;
}

/** A key of 256 random bits; its prefix tells it from the key of a subscription, to its owner and to secret scanners. */
export function newClaimKey(): string {
  return `hpo_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a key: hex SHA-256. Undefined for text that is no key. */
export function claimKeyHash(key: string): string | undefined {
  return CLAIM_KEY.test(key) ? createHash('sha256').update(key).digest('hex') : undefined;
}

/** What an owner publishes: 256 random bits in hex. It is public, and proves nothing for the key of another claim. */
export function newChallenge(): string {
  return randomBytes(32).toString('hex');
}
