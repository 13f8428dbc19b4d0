import { parseUrl, type FailureReason, type Redirect, type WildcardEnd } from '@app/detectors';
import { parseProbeUrl } from '@app/hosts';

export type RedirectStep =
  /** Follow it, with the same checks as for the first request. */
  | { readonly kind: 'follow'; readonly url: URL }
  /** Another registrable domain. It is recorded but not followed, and its documents never count for the host. */
  | { readonly kind: 'leaves_site'; readonly url: URL }
  | { readonly kind: 'refused'; readonly reason: 'redirect_refused' | 'redirect_loop' };

/** The longest accepted `Location`, in characters. */
const MAX_LOCATION = 2_000;

// The WHATWG parser drops tabs and line breaks and turns backslashes into slashes, so we reject them first.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u001F\u007F-\u009F\\]/;

const REFUSED = { kind: 'refused', reason: 'redirect_refused' } as const satisfies RedirectStep;

/** Whether a status redirects the client. 300, 304 and 305 do not give a single target. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * Decides on a redirect of a GET. `visited` has the URLs requested so far, including the current one; the caller counts
 * the redirects. 303 is treated like the others: it gives a substitute for the document. Only https on port 443 is
 * allowed, so that there is no downgrade, and no IP literal, user info or special-use name (the rules for URLs from
 * outside, behaviour 1.3).
 */
export function redirectStep(
  from: URL,
  location: string | undefined,
  visited: ReadonlySet<string>,
  site: string,
): RedirectStep {
  if (!location || location.length > MAX_LOCATION || FORBIDDEN.test(location)) return REFUSED;
  const named = parseUrl(location, from.href);
  const target = named && parseProbeUrl(named.href);
  if (!target?.ok) return REFUSED;
  const url = new URL(target.url.href);
  if (target.url.host.site !== site) return { kind: 'leaves_site', url };
  return visited.has(url.href) ? { kind: 'refused', reason: 'redirect_loop' } : { kind: 'follow', url };
}

/** The next step after a redirect: another request, or the end of the chain. */
export type ChainStep =
  | { readonly kind: 'follow'; readonly url: URL }
  /** The redirect itself is the answer. */
  | { readonly kind: 'answer' }
  | { readonly kind: 'refused'; readonly reason: FailureReason };

/** A chain that sets a cookie and returns to an earlier path: clients without cookies cannot continue. */
const COOKIE_GATE = { kind: 'refused', reason: 'cookie_gate' } as const satisfies ChainStep;

export interface ChainRules {
  /** The registrable domain that the chain may not leave. */
  readonly site: string;
  /** The maximum number of followed redirects. */
  readonly redirects: number;
  /** The result of a redirect to that URL, if it is known without following it. */
  readonly known: ((target: string) => WildcardEnd | undefined) | undefined;
}

/** The redirects of one exchange, and the decision on the next one. */
export class RedirectChain {
  /** The followed and refused ones. */
  readonly redirects: Redirect[] = [];
  private readonly visited = new Set<string>();
  private readonly paths = new Set<string>();
  private gaveCookie = false;

  constructor(private readonly rules: ChainRules) {}

  /** `setsCookie`: whether the redirect sets a cookie; probes never send cookies back. */
  next(from: URL, status: number, location: string | undefined, setsCookie: boolean): ChainStep {
    this.visited.add(from.href);
    this.paths.add(from.pathname);
    this.gaveCookie ||= setsCookie;
    const { site, redirects, known } = this.rules;
    const step = redirectStep(from, location, this.visited, site);
    const end = step.kind === 'follow' ? known?.(step.url.href) : undefined;
    if (step.kind === 'leaves_site' || end === 'answer') return { kind: 'answer' };
    if (location !== undefined) this.redirects.push({ status, location: absolute(location, from.href) });
    const gate = this.gaveCookie && this.paths.has(parseUrl(location ?? '', from.href)?.pathname ?? '');
    if (step.kind === 'refused') return gate && step.reason === 'redirect_loop' ? COOKIE_GATE : step;
    if (end !== undefined) return { kind: 'refused', reason: end };
    if (this.redirects.length <= redirects) return step;
    return gate ? COOKIE_GATE : REFUSED;
  }
}

/** The target of a redirect as far as it can be parsed; truncated, because it is stored with the report. */
function absolute(location: string, base: string): string {
  return (parseUrl(location, base)?.href ?? location).slice(0, 2_048);
}
