import robotsParser from 'robots-parser';

/** Text read of a robots.txt (RFC 9309 section 2.5 asks for at least 500 KiB). */
const MAX_CHARS = 512 * 1024;

/**
 * Whether a robots.txt asks this crawler by name to stay away from a URL: a group that names `token` and disallows it.
 * Rules for `*` alone are for crawlers that index; a look is a handful of requests for documents made to be found by
 * machines.
 */
export function asksToStayAway(robotsTxt: string, token: string, url: string): boolean {
  const text = robotsTxt.slice(0, MAX_CHARS);
  // The parser falls back to the rules for `*` when no group names the token.
  return namedIn(text, token) && robotsParser(new URL('/robots.txt', url).href, text).isDisallowed(url, token) === true;
}

function namedIn(text: string, token: string): boolean {
  return text.split(/[\r\n]+/).some((line) => {
    const [field, value] = line.split('#', 1)[0]?.split(':') ?? [];
    const name = value?.split('/', 1)[0]?.trim().toLowerCase();
    return field?.trim().toLowerCase() === 'user-agent' && name === token;
  });
}
