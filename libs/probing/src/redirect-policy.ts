import { parseUrl } from '@app/detectors';
import { parseProbeUrl } from '@app/reports';

export type RedirectStep =
  /** Go there, through the same guard as the first request. */
  | { readonly kind: 'follow'; readonly url: URL }
  /** Another registrable domain: recorded, never followed, its documents never credited to the host. */
  | { readonly kind: 'leaves_site'; readonly url: URL }
  | { readonly kind: 'refused'; readonly reason: 'redirect_refused' | 'redirect_loop' };

/** Longest `Location` worth reading, in characters. */
const MAX_LOCATION = 2_000;

// The WHATWG parser drops tabs and line breaks and turns backslashes into slashes: refuse them before it does.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u001F\u007F-\u009F\\]/;

const REFUSED = { kind: 'refused', reason: 'redirect_refused' } as const satisfies RedirectStep;

/** Whether a status asks the client to go elsewhere. 300, 304 and 305 do not name one place to go to. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * What to do about one redirect. `visited` are the URLs asked so far, the present one included; the number of hops is
 * the caller's to count. 303 is refused: it points at the answer to a form, which no document to be read has.
 * Only https on port 443 is ever a target, so there is no downgrade, and no IP literal, userinfo or special-use name
 * passes (the rules of a URL that a stranger names, contract 1).
 */
export function nextHop(
  from: URL,
  status: number,
  location: string | undefined,
  visited: ReadonlySet<string>,
  site: string,
): RedirectStep {
  if (status === 303 || !location || location.length > MAX_LOCATION || FORBIDDEN.test(location)) return REFUSED;
  const named = parseUrl(location, from.href);
  const target = named && parseProbeUrl(named.href);
  if (!target?.ok) return REFUSED;
  const url = new URL(target.url.href);
  if (target.url.host.site !== site) return { kind: 'leaves_site', url };
  return visited.has(url.href) ? { kind: 'refused', reason: 'redirect_loop' } : { kind: 'follow', url };
}
