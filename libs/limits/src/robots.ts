import robotsParser from 'robots-parser';

/** How many characters of a robots.txt are read (RFC 9309 section 2.5 requires at least 500 KiB). */
const MAX_CHARS = 512 * 1024;

/**
 * Whether a robots.txt disallows a URL in a group for `token`. For a scheduled probe, the group for `*` applies if no
 * group names `token` (RFC 9309 section 2.2.1).
 * @param crawls whether nobody requested the probe
 */
export function disallowedByRobots(robotsTxt: string, token: string, url: string, crawls = false): boolean {
  const text = robotsTxt.slice(0, MAX_CHARS);
  const rules = rulesFor(token, text) ?? (crawls ? rulesFor('*', text) : undefined) ?? [];
  if (rules.length === 0) return false;
  const own = [`User-agent: ${token}`, ...rules].join('\n');
  return robotsParser(new URL('/robots.txt', url).href, own).isDisallowed(url, token) === true;
}

/**
 * The rules of all groups that name the token; undefined if there are none. We filter before parsing, because the
 * parser copies every rule for every name of its group, so a few kilobytes could fill the memory. The names of a group
 * end at the first rule, not at other records (RFC 9309 section 2.2.4).
 */
function rulesFor(token: string, text: string): readonly string[] | undefined {
  const rules: string[] = [];
  let found = false;
  let [named, naming] = [false, false];
  for (const line of text.split(/[\r\n]+/)) {
    const [, field = '', value = ''] = /^\s*([a-z-]+)\s*:(.*)$/i.exec(line.split('#', 1)[0] ?? '') ?? [];
    switch (field.toLowerCase()) {
      case 'user-agent':
        named = (naming && named) || value.split('/', 1)[0]?.trim().toLowerCase() === token;
        naming = true;
        found ||= named;
        break;
      case 'allow':
      case 'disallow':
        if (named) rules.push(`${field}:${value}`);
        naming = false;
    }
  }
  return found ? rules : undefined;
}
