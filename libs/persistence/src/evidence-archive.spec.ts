import type { Exchange } from '@app/detectors';
import { exchange, failure, plain } from '../../../test/support/evidence';
import { packEvidence, unpackEvidence } from './evidence-archive';

const answer = (path: string, body: string): Exchange =>
  exchange('GET', `https://shop.example.com${path}`, plain(body));
const page = 'the same page for everything '.repeat(40_000);

describe('an archive of evidence', () => {
  it.each([
    ['nothing', []],
    [
      'failures and answers',
      [exchange('GET', 'https://shop.example.com/a', failure('timeout')), answer('/b', '{"b":1}')],
    ],
    ['a line break in a body', [answer('/b', 'a\nb\r\n')]],
    ['control characters, quotes and backslashes', [answer('/b', '\u0001"\\\u2028'.repeat(50_000))]],
    [
      'a surrogate pair wherever a body is cut',
      [answer('/b', '\u{1F6D2}'.repeat(70_000)), answer('/c', `x${'\u{1F6D2}'.repeat(70_000)}`)],
    ],
    ['the same body several times', ['/a', '/b', '/c'].map((path) => answer(path, page))],
  ] as readonly (readonly [string, readonly Exchange[]])[])('gives back %s', async (_what, exchanges) => {
    expect(await unpackEvidence(await packEvidence(exchanges))).toEqual(exchanges);
  });

  it('holds a body once', async () => {
    const noise = Array.from({ length: 50_000 }, (_, i) => ((i * 7919) % 9973).toString(36)).join('');
    const once = await packEvidence([answer('/a', noise)]);
    const often = await packEvidence(Array.from({ length: 20 }, (_, i) => answer(`/${i}`, noise)));
    expect(often.length).toBeLessThan(once.length * 1.1);
  });
});
