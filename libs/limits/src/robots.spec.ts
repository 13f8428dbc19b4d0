import { asksToStayAway } from './robots';

const HOME = 'https://shop.example.com/';

describe('a robots.txt', () => {
  it.each([
    ['our name and everything', 'User-agent: hostprobe\nDisallow: /\n', true],
    ['our name in capitals', 'USER-AGENT: HostProbe\nDISALLOW: /', true],
    ['our name among others', 'User-agent: otherbot\nUser-agent: hostprobe\nDisallow: /\n', true],
    ['our name, and everybody', 'User-agent: *\nAllow: /\n\nUser-agent: hostprobe\nDisallow: /\n', true],
    ['everybody and our name in one group', 'User-agent: *\nUser-agent: hostprobe\nDisallow: /\n', true],
    ['our name with a version', 'User-agent: hostprobe/0.1 # them\nDisallow: /\n', true],
    ['everybody but not us', 'User-agent: *\nDisallow: /\n', false],
    ['our name and another path', 'User-agent: hostprobe\nDisallow: /private\n', false],
    ['our name and nothing', 'User-agent: hostprobe\nDisallow:\n', false],
    ['our name after a byte order mark', '\uFEFFUser-agent: hostprobe\nDisallow: /\n', true],
    ['our name in lines of an old Mac', 'User-agent : hostprobe\rDisallow : /\r', true],
    ['our name, then a record of no group', 'User-agent: hostprobe\nCrawl-delay: 9\nDisallow: /*\n', true],
    ['our name before another and a delay', 'User-agent: hostprobe\nCrawl-delay: 9\nUser-agent: x\nDisallow: /', true],
    ['our name twice', 'User-agent: hostprobe\nDisallow: /a\n\nUser-agent: hostprobe\nDisallow: /\n', true],
    ['our name at the end of half a megabyte', `${'#'.repeat(512_000)}\nUser-agent: hostprobe\nDisallow: /`, true],
    ['our name and everything but the home page', 'User-agent: hostprobe\nDisallow: /\nAllow: /$\n', false],
    ['somebody whose name begins like ours', 'User-agent: hostprobes-friend\nDisallow: /\n', false],
    ['nothing', '', false],
    ['a page instead of rules', '<!doctype html><p>User-agent: hostprobe Disallow: /</p>', false],
  ])('that names %s asks us to stay away: %#', (_what, text, away) => {
    expect(asksToStayAway(text, 'hostprobe', HOME)).toBe(away);
  });

  it('that names thousands and rules as often fills no memory', () => {
    const names = Array.from({ length: 15_000 }, (_, i) => `User-agent: a${i}\n`).join('');
    const hostile = `${names}${'Disallow: /*\n'.repeat(15_000)}`;
    expect(asksToStayAway(`${hostile}User-agent: hostprobe\nDisallow: /`, 'hostprobe', HOME)).toBe(true);
  });
});
