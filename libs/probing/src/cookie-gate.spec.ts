import fc from 'fast-check';
import { RedirectChain } from './redirect-policy';

const START = 'https://shop.example.com/llms.txt';
const OTHERS = ['/check', '/cookies?from=llms', 'https://www.example.com/llms'];

/** The result of a chain of redirects. */
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

describe('a chain of redirects that returns to its path', () => {
  it('is a cookie gate if it set a cookie, and otherwise a loop', () => {
    fc.assert(
      fc.property(detour, fc.nat(2), (by, at) => {
        expect(endOf([...by, START], undefined)).toBe('redirect_loop');
        expect(endOf([...by, START], Math.min(at, by.length))).toBe('cookie_gate');
      }),
    );
  });

  it('is also a cookie gate if the query changes each time, up to the maximum number of redirects', () => {
    const rounds = [1, 2, 3, 4].map((round) => `/llms.txt?try=${round}`);
    expect(endOf(rounds, 0)).toBe('cookie_gate');
    expect(endOf(rounds, undefined)).toBe('redirect_refused');
    expect(endOf(['/a', '/b', '/c', '/d'], 0)).toBe('redirect_refused');
  });
});
