import type { Subscription } from '@app/subscriptions';

/** How a request shows who its subscriber is. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'wallet'; readonly header: string }
  /** A key that was looked up already, with what it is of. */
  | { readonly kind: 'found'; readonly subscription: Subscription };

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What a request shows of a subscriber: `Authorization: Bearer <key>` (RFC 6750), or else `SIGN-IN-WITH-X`; undefined
 * for the public. Other schemes of `Authorization` are not about subscriptions.
 */
export function credentialOf(headers: Headers): Credential | undefined {
  const bearer = /^bearer(?: +(.*))?$/i.exec(single(headers['authorization']) ?? '');
  if (bearer) return { kind: 'key', key: (bearer[1] ?? '').trim() };
  const header = single(headers['sign-in-with-x']);
  return header === undefined ? undefined : { kind: 'wallet', header };
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value[0];
}
