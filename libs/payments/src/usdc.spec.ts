import fc from 'fast-check';
import { atomicToUsd, usdToAtomic } from './usdc';

describe('usdc', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000001'],
    [1_000n, '0.001'],
    [20_000n, '0.02'],
    [1_000_000n, '1'],
    [1_234_567n, '1.234567'],
  ])('writes %s atomic units as %s', (atomic, usd) => {
    expect(atomicToUsd(atomic)).toBe(usd);
  });

  it.each(['', '.', '1.', '.5', '1.1234567', '1e3', '-1', '0x1', '1,000', ' 1', '9999999999999'])(
    'rejects the amount %j',
    (usd) => {
      expect(usdToAtomic(usd)).toBeUndefined();
    },
  );

  it('reads back every amount it writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n }), (atomic) => {
        expect(usdToAtomic(atomicToUsd(atomic))).toBe(atomic);
      }),
    );
  });
});
