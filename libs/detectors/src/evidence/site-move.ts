import { parseUrl } from '../formats/parse-url';
import { isControl } from './control';
import type { Exchange, Redirect } from './exchange';

/**
 * The other origin of its site to which a host redirects every path, keeping the path (apex to `www.` or a subdomain).
 * It is derived from the control pair and the home page, which may be redirected further (`/` to `/en/`); undefined if
 * they disagree. Documents of such a host are requested there directly, because the redirect says nothing about them.
 */
export function siteMove(exchanges: readonly Exchange[], origin: string): string | undefined {
  const asked = exchanges.filter(({ method, url }) => method === 'GET' && url.startsWith(`${origin}/`));
  const targets = asked.filter(isControl).map(({ url, redirects }) => movedTo(url, redirects));
  const [target] = targets;
  if (target === undefined || targets.length < 2 || targets.some((other) => other !== target)) return undefined;
  const home = asked.find(({ url }) => url === `${origin}/`);
  const stays = home?.kind === 'answer' && !home.redirects.some(({ location }) => originOf(location) === target);
  return home === undefined || stays ? undefined : target;
}

/** The redirects of an exchange without those to the other name of the host. */
export function redirectsBeyond(move: string | undefined, { url, redirects }: Exchange): readonly Redirect[] {
  const led = move === undefined ? -1 : keptPath(url, redirects).findLastIndex((at) => at === move);
  return redirects.slice(led + 1);
}

function movedTo(url: string, redirects: readonly Redirect[]): string | undefined {
  const last = keptPath(url, redirects).at(-1);
  return last !== undefined && last !== originOf(url) ? last : undefined;
}

/** The https origins of a chain of redirects as long as it keeps the path. */
function keptPath(url: string, redirects: readonly Redirect[]): readonly string[] {
  if (redirects.length === 0) return [];
  const path = parseUrl(url)?.pathname;
  const steps = redirects.map(({ location }) => parseUrl(location));
  const left = steps.findIndex((step) => step?.protocol !== 'https:' || step.pathname !== path);
  return steps.slice(0, left === -1 ? steps.length : left).flatMap((step) => step?.origin ?? []);
}

function originOf(url: string): string | undefined {
  return parseUrl(url)?.origin;
}
