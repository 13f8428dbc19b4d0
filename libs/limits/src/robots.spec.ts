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
    ['somebody whose name begins like ours', 'User-agent: hostprobes-friend\nDisallow: /\n', false],
    ['nothing', '', false],
    ['a page instead of rules', '<!doctype html><p>User-agent: hostprobe Disallow: /</p>', false],
  ])('that names %s asks us to stay away: %#', (_what, text, away) => {
    expect(asksToStayAway(text, 'hostprobe', HOME)).toBe(away);
  });
});
