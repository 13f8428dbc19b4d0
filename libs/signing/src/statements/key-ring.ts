import { createPrivateKey, type KeyObject } from 'node:crypto';
import { publicJwkOf, type ReportKey, type PublicJwk } from './statement-jws';

/** A stored key with its dates; the key is PKCS #8 PEM. */
export interface StoredKey {
  readonly kid: string;
  readonly pem: string;
  /** It signs statements dated from this time on; its predecessor signs earlier ones. */
  readonly signsFrom: Date;
  readonly revokedAt: Date | null;
  readonly revokedReason: string | null;
}

interface DatedKey extends ReportKey {
  readonly stored: StoredKey;
  readonly key: KeyObject;
  /** When the next key took over. This stays set even if that one is revoked: a key is never used again. */
  readonly endedAt: Date | undefined;
}

/** A retired key stays listed until its last statement is a year old. */
const LISTED_MS = 366 * 86_400_000;

/** The statement keys: which one signs at which time, and their published form. */
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

  /** Whether signatures of a key are still trusted. */
  trusts(kid: string): boolean {
    return this.keys.some((key) => key.kid === kid && isSound(key));
  }

  /**
   * The key for a statement dated `iat`, in seconds since 1970; all processes choose the same one. Statements from
   * before the first key use the first key, and a revoked key is replaced by the next one. Undefined if there is none.
   */
  at(iat: number): ReportKey | undefined {
    const due = this.keys.findLastIndex(({ stored }) => stored.signsFrom.getTime() <= iat * 1_000);
    return this.keys.slice(Math.max(0, due)).find(isSound);
  }

  /** The document published at {@link KEYS_PATH}. */
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

/** The path of the statement keys. */
export const KEYS_PATH = '/.well-known/hostprobe-keys.json';

/**
 * A key is published this long before its first use, in milliseconds, because readers cache the document for an hour.
 */
export const KEY_NOTICE_MS = 86_400_000;

/** A published key. Statements dated at or after `hostprobe:iat_before` must not be trusted. */
interface ListedKey extends PublicJwk {
  readonly kid: string;
  readonly use: 'sig';
  /** For a retired key, in seconds since 1970. */
  readonly 'hostprobe:iat_before'?: number;
}

/** The published keys: a JWK set (RFC 7517), plus the keys that must no longer be trusted. */
export interface KeySet {
  readonly keys: readonly ListedKey[];
  readonly revoked: readonly { readonly kid: string; readonly at: string; readonly reason: string }[];
}
