import { retryAfterSec } from './retry-after';

describe('Retry-After', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  it.each([
    ['30', 30],
    [' 120 ', 120],
    ['31536000', 31_536_000],
    ['0', 0],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 60],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    ['1e9', 0],
    ['9'.repeat(400), 0],
    ['', 0],
  ])('of %j is %d seconds', (value, seconds) => {
    expect(retryAfterSec(value, now)).toBe(seconds);
  });
});
