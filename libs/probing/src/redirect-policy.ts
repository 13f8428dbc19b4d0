import { parseUrl, type FailureReason, type Redirect, type WildcardEnd } from '@app/detectors';
import { parseProbeUrl } from '@app/hosts';

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

/** Whether a status sends the client elsewhere. 300, 304 and 305 do not name one place to go to. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * What to do about one redirect of a GET. `visited` are the URLs requested so far, the present one included; the
 * caller counts the redirects. 303 is one like the others: it leads to what may be had in place of the document.
 * Only https on port 443 is ever a target, so there is no downgrade, and no IP literal, userinfo or special-use name
 * passes (the rules of a URL that comes from outside, behaviour 1.3).
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

/** What a redirect is followed by: another request, or the end of its chain. */
export type ChainStep =
  | { readonly kind: 'follow'; readonly url: URL }
  /** The redirect itself is the answer. */
  | { readonly kind: 'answer' }
  | { readonly kind: 'refused'; readonly reason: FailureReason };

/** A chain that sets a cookie and returns to an earlier path: clients without cookies get no further. */
const COOKIE_GATE = { kind: 'refused', reason: 'cookie_gate' } as const satisfies ChainStep;

export interface ChainRules {
  /** Registrable domain that the chain may not leave. */
  readonly site: string;
  /** Most redirects that are followed. */
  readonly redirects: number;
  /** What a redirect to that address comes to, where that is known without following it. */
  readonly known: ((target: string) => WildcardEnd | undefined) | undefined;
}

/** The redirects of one exchange, and the decision about the next one. */
export class RedirectChain {
  /** Those that were followed or refused. */
  readonly redirects: Redirect[] = [];
  private readonly visited = new Set<string>();
  private readonly paths = new Set<string>();
  private gaveCookie = false;

  constructor(private readonly rules: ChainRules) {}

  /** `setsCookie`: whether the redirect comes with a cookie, which no probe sends back. */
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

/** What a redirect pointed at, as far as it can be read; cut, since it is kept with the report. */
function absolute(location: string, base: string): string {
  return (parseUrl(location, base)?.href ?? location).slice(0, 2_048);
}
