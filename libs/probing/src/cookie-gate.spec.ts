import fc from 'fast-check';
import { RedirectChain } from './redirect-policy';

const START = 'https://shop.example.com/llms.txt';
const OTHERS = ['/check', '/cookies?from=llms', 'https://www.example.com/llms'];

/** How a chain of redirects ends. */
function endOf(targets: readonly string[], cookieAt: number | undefined): string {
  const chain = new RedirectChain({ site: 'example.com', redirects: 3, known: undefined });
  let from = new URL(START);
  for (const [at, target] of targets.entries()) {
    const step = chain.next(from, 302, target, at === cookieAt);
    if (step.kind !== 'follow') return step.kind === 'refused' ? step.reason : step.kind;
    from = step.url;
  }
  return 'open';
}

const detour = fc.uniqueArray(fc.constantFrom(...OTHERS), { maxLength: 2 });

describe('a chain of redirects that comes back to its path', () => {
  it('is a cookie gate when it gave a cookie anywhere, and a circle when not', () => {
    fc.assert(
      fc.property(detour, fc.nat(2), (by, at) => {
        expect(endOf([...by, START], undefined)).toBe('redirect_loop');
        expect(endOf([...by, START], Math.min(at, by.length))).toBe('cookie_gate');
      }),
    );
  });

  it('is a cookie gate too when each round counts up in the query, until too many were followed', () => {
    const rounds = [1, 2, 3, 4].map((round) => `/llms.txt?try=${round}`);
    expect(endOf(rounds, 0)).toBe('cookie_gate');
    expect(endOf(rounds, undefined)).toBe('redirect_refused');
    expect(endOf(['/a', '/b', '/c', '/d'], 0)).toBe('redirect_refused');
  });
});
