import type { Subscription } from '@app/owners';

/** How a request shows who its subscriber is. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'wallet'; readonly header: string }
  /** The subscription of a key that was found already. */
  | { readonly kind: 'found'; readonly subscription: Subscription }
  /** A key of another origin, where it counts as none. */
  | { readonly kind: 'foreign' };

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What a request shows of a subscriber: `Authorization: Bearer <key>` (RFC 6750), or else `SIGN-IN-WITH-X`; undefined
 * for the public. Other schemes of `Authorization` are not about subscriptions.
 */
export function credentialOf(headers: Headers): Credential | undefined {
  const authorization = single(headers['authorization']) ?? '';
  if (/^bearer(?: |$)/i.test(authorization)) return { kind: 'key', key: authorization.slice(7).trim() };
  return walletOf(headers);
}

/** The message of a wallet that signs in, whatever else the request shows. */
export function walletOf(headers: Headers): Credential | undefined {
  const header = single(headers['sign-in-with-x']);
  return header === undefined ? undefined : { kind: 'wallet', header };
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value[0];
}
