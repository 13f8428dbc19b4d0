import type { PublicJwk } from './statement-jws';

/** Where the keys of statements are. */
export const KEYS_PATH = '/.well-known/hostprobe-keys.json';

/** A key is published so long before it signs, in milliseconds: readers keep the document for an hour. */
export const KEY_NOTICE_MS = 86_400_000;

/** A key as it is published. What was signed with it is refused when it is dated from `hostprobe:iat_before` on. */
export interface ListedKey extends PublicJwk {
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
