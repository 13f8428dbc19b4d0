import { parseUrl } from '../formats/parse-url';
import { header, type Answer, type Exchange } from './exchange';
import type { HostEvidence } from './host-evidence';

/**
 * The same-site target of a redirected POST: with 307 and 308, which keep method and body (RFC 9110 section 15.4), or
 * its own path with or without a trailing slash. Only one redirect; our requests start no work there.
 */
export function movedPost(by: Exchange | undefined, seen: HostEvidence): string | undefined {
  if (by?.kind !== 'answer' || by.status < 300 || by.status >= 400) return undefined;
  const to = seen.resolve(header(by, 'location') ?? '', by.finalUrl);
  if (to === undefined || to === by.finalUrl || !to.startsWith('https:') || !seen.sameSite(to)) return undefined;
  return by.status === 307 || by.status === 308 || isSamePath(to, by.finalUrl) ? to : undefined;
}

/**
 * The target of an endpoint's redirect if that is another site, a login or the home page: clients find no server there.
 */
export function leadsAway(answer: Answer, seen: HostEvidence): string | undefined {
  const location = answer.status >= 300 && answer.status < 400 ? header(answer, 'location') : undefined;
  const target =
    location === undefined ? seen.ownRedirects(answer).at(-1)?.location : seen.resolve(location, answer.finalUrl);
  if (target === undefined) return undefined;
  const home = seen.at('/');
  const homes = [seen.resolve('/') ?? '', home?.kind === 'answer' ? home.finalUrl : ''];
  const isHome = !isSamePath(target, answer.url) && homes.some((url) => isSamePath(url, target));
  const reading = seen.readingOf(answer);
  const isGate = reading.kind === 'blocked' && reading.reason.startsWith('redirected_');
  return isHome || isGate ? addressOf(target).slice(0, 200) : undefined;
}

/** Whether host and path are equal, ignoring a trailing slash and the query. */
function isSamePath(one: string, other: string): boolean {
  return addressOf(one) === addressOf(other);
}

function addressOf(url: string): string {
  const { host = '', pathname = url } = parseUrl(url) ?? {};
  return `${host}${pathname.replace(/\/$/, '')}`;
}
