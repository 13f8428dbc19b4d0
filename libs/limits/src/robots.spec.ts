import { disallowedByRobots } from './robots';

const HOME = 'https://shop.example.com/';

describe('a robots.txt', () => {
  it.each([
    ['the crawler and everything', 'User-agent: hostprobe\nDisallow: /\n', true],
    ['the crawler in capitals', 'USER-AGENT: HostProbe\nDISALLOW: /', true],
    ['the crawler among others', 'User-agent: otherbot\nUser-agent: hostprobe\nDisallow: /\n', true],
    ['the crawler, and all crawlers', 'User-agent: *\nAllow: /\n\nUser-agent: hostprobe\nDisallow: /\n', true],
    ['all crawlers and this one in one group', 'User-agent: *\nUser-agent: hostprobe\nDisallow: /\n', true],
    ['the crawler with a version', 'User-agent: hostprobe/0.1 # them\nDisallow: /\n', true],
    ['all crawlers but not this one', 'User-agent: *\nDisallow: /\n', false],
    ['the crawler and another path', 'User-agent: hostprobe\nDisallow: /private\n', false],
    ['the crawler with nothing disallowed', 'User-agent: hostprobe\nDisallow:\n', false],
    ['the crawler after a byte order mark', '\uFEFFUser-agent: hostprobe\nDisallow: /\n', true],
    ['the crawler in lines of an old Mac', 'User-agent : hostprobe\rDisallow : /\r', true],
    ['the crawler, then a record of no group', 'User-agent: hostprobe\nCrawl-delay: 9\nDisallow: /*\n', true],
    [
      'the crawler before another and a delay',
      'User-agent: hostprobe\nCrawl-delay: 9\nUser-agent: x\nDisallow: /',
      true,
    ],
    ['the crawler twice', 'User-agent: hostprobe\nDisallow: /a\n\nUser-agent: hostprobe\nDisallow: /\n', true],
    ['the crawler at the end of half a megabyte', `${'#'.repeat(512_000)}\nUser-agent: hostprobe\nDisallow: /`, true],
    ['the crawler and everything but the home page', 'User-agent: hostprobe\nDisallow: /\nAllow: /$\n', false],
    ['a crawler whose name starts with its name', 'User-agent: hostprobes-friend\nDisallow: /\n', false],
    ['nothing', '', false],
    ['a page instead of rules', '<!doctype html><p>User-agent: hostprobe Disallow: /</p>', false],
  ])('with a group for %s disallows this crawler: %#', (_what, text, away) => {
    expect(disallowedByRobots(text, 'hostprobe', HOME)).toBe(away);
  });

  it.each([
    ['all crawlers', 'User-agent: *\nDisallow: /\n', true],
    ['all crawlers and another path', 'User-agent: *\nDisallow: /cart\n', false],
    ['all crawlers, and this one may', 'User-agent: *\nDisallow: /\n\nUser-agent: hostprobe\nAllow: /\n', false],
    ['all crawlers, and this one without a rule', 'User-agent: *\nDisallow: /\n\nUser-agent: hostprobe\n', false],
    ['another crawler', 'User-agent: otherbot\nDisallow: /\n', false],
  ])('with a group for %s ends a scheduled probe: %#', (_what, text, away) => {
    expect(disallowedByRobots(text, 'hostprobe', HOME, true)).toBe(away);
    expect(disallowedByRobots(text, 'hostprobe', HOME)).toBe(false);
  });

  it('with thousands of names and rules does not fill the memory', () => {
    const names = Array.from({ length: 15_000 }, (_, i) => `User-agent: a${i}\n`).join('');
    const hostile = `${names}${'Disallow: /*\n'.repeat(15_000)}`;
    expect(disallowedByRobots(`${hostile}User-agent: hostprobe\nDisallow: /`, 'hostprobe', HOME)).toBe(true);
  });
});
