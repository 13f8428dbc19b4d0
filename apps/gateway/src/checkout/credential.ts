import type { Subscription } from '@app/owners';

/** How a request identifies its subscriber. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'wallet'; readonly header: string }
  /** The subscription was already looked up by its key. */
  | { readonly kind: 'found'; readonly subscription: Subscription }
  /** The key belongs to another origin, so it does not count here. */
  | { readonly kind: 'foreign' };

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The subscriber credential of a request: `Authorization: Bearer <key>` (RFC 6750), or else `SIGN-IN-WITH-X`. Undefined
 * if there is none; other `Authorization` schemes are ignored.
 */
export function credentialOf(headers: Headers): Credential | undefined {
  const authorization = single(headers['authorization']) ?? '';
  if (/^bearer(?: |$)/i.test(authorization)) return { kind: 'key', key: authorization.slice(7).trim() };
  return walletOf(headers);
}

/** The sign-in message of a wallet, ignoring any other credential of the request. */
export function walletOf(headers: Headers): Credential | undefined {
  const header = single(headers['sign-in-with-x']);
  return header === undefined ? undefined : { kind: 'wallet', header };
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value[0];
}
