import { atomicAmount, isImplausible, usdOf } from './usd';

describe('usd', () => {
  it.each([
    [15n, 6, '0.000015'],
    [20_000n, 6, '0.02'],
    [2_000_000n, 6, '2'],
    [50_000_000_000_000_000n, 18, '0.05'],
    [1n, 2, '0.01'],
    [0n, 6, '0'],
    [7n, 0, '7'],
  ])('writes %s atomic units of %i decimals as %s dollars', (amount, decimals, usd) => {
    expect(usdOf(amount, decimals)).toBe(usd);
  });

  it('is exact for amounts beyond floating point', () => {
    expect(usdOf((1n << 256n) - 1n, 6)).toMatch(/^\d{72}\.\d{6}$/);
  });

  it.each(['0.50', '1e6', '-1', '0x10', '1,000', '01', '', ' 1', '1'.repeat(79), String(1n << 256n)])(
    'rejects %j as an atomic amount',
    (text) => {
      expect(atomicAmount(text)).toBeUndefined();
    },
  );

  it('treats a price above ten thousand dollars as a mistake', () => {
    expect(isImplausible(10_000_000_000n, 6)).toBe(false);
    expect(isImplausible(10_000_000_001n, 6)).toBe(true);
  });
});
