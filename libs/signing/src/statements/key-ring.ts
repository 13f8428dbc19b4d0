import { createPrivateKey, type KeyObject } from 'node:crypto';
import { publicJwkOf, type ReportKey, type PublicJwk } from './statement-jws';

/** A key with its dates, as it is stored; the key in PKCS #8, PEM. */
export interface StoredKey {
  readonly kid: string;
  readonly pem: string;
  /** It signs statements dated from then on; its predecessor signs only earlier ones. */
  readonly signsFrom: Date;
  readonly revokedAt: Date | null;
  readonly revokedReason: string | null;
}

interface DatedKey extends ReportKey {
  readonly stored: StoredKey;
  readonly key: KeyObject;
  /** When the next key took over, whatever became of that one: a key never comes back. */
  readonly endedAt: Date | undefined;
}

/** A key that signs no more stays listed until the last statement under it is a year old. */
const LISTED_MS = 366 * 86_400_000;

/** The keys of statements: which one signs at which time, and their published form. */
export class KeyRing {
  private readonly keys: readonly DatedKey[];

  constructor(stored: readonly StoredKey[]) {
    const ordered = stored.toSorted((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime());
    this.keys = ordered.map((one, index) => ({
      stored: one,
      kid: one.kid,
      key: createPrivateKey(one.pem),
      endedAt: ordered[index + 1]?.signsFrom,
    }));
  }

  /** Whether what a key signed is still to be believed. */
  trusts(kid: string): boolean {
    return this.keys.some((key) => key.kid === kid && isSound(key));
  }

  /**
   * The key for what is dated `iat`, in seconds since 1970: all processes choose the same one. What is older than the first
   * key is signed with it; for a revoked key the next one signs. Undefined when there is none.
   */
  at(iat: number): ReportKey | undefined {
    const due = this.keys.findLastIndex(({ stored }) => stored.signsFrom.getTime() <= iat * 1_000);
    return this.keys.slice(Math.max(0, due)).find(isSound);
  }

  /** What is published at {@link KEYS_PATH}. */
  document(now: Date): KeySet {
    const listed = this.keys.filter(isSound).flatMap(({ kid, key, endedAt }): ListedKey[] => {
      if (endedAt && now.getTime() - endedAt.getTime() > LISTED_MS) return [];
      const end = endedAt && { 'hostprobe:iat_before': Math.floor(endedAt.getTime() / 1_000) };
      return [{ ...publicJwkOf(key), kid, use: 'sig', ...end }];
    });
    const revoked = this.keys.flatMap(({ stored: { kid, revokedAt, revokedReason } }) =>
      revokedAt ? [{ kid, at: revokedAt.toISOString(), reason: revokedReason ?? '' }] : [],
    );
    return { keys: listed, revoked };
  }
}

function isSound({ stored }: DatedKey): boolean {
  return stored.revokedAt === null;
}

/** Where the keys of statements are. */
export const KEYS_PATH = '/.well-known/hostprobe-keys.json';

/** A key is published so long before it signs, in milliseconds: readers keep the document for an hour. */
export const KEY_NOTICE_MS = 86_400_000;

/** A key as it is published. What was signed with it is refused when it is dated from `hostprobe:iat_before` on. */
interface ListedKey extends PublicJwk {
  readonly kid: string;
  readonly use: 'sig';
  /** Seconds since 1970, of a key that signs no more. */
  readonly 'hostprobe:iat_before'?: number;
}

/** The document of keys: a JWK set (RFC 7517) with those that must not be believed any more. */
export interface KeySet {
  readonly keys: readonly ListedKey[];
  readonly revoked: readonly { readonly kid: string; readonly at: string; readonly reason: string }[];
}
