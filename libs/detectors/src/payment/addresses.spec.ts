import { checksumHolds, checksummed, isPlaceholder } from './addresses';

describe('addresses', () => {
  // Test vectors of EIP-55.
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('checksums %s', (address) => {
    expect(checksummed(address.toLowerCase())).toBe(address);
    expect(checksumHolds(address)).toBe(true);
    expect(checksumHolds(address.replace(/[a-f]/, (digit) => digit.toUpperCase()))).toBe(false);
  });

  it('accepts addresses without mixed case', () => {
    expect(checksumHolds(`0x${'ab'.repeat(20)}`)).toBe(true);
    expect(checksumHolds(`0x${'AB'.repeat(20)}`)).toBe(true);
  });

  it('recognizes placeholder text', () => {
    expect(['YOUR_WALLET_ADDRESS', '{{PAY_TO}}', '<address>', '0x...'].every(isPlaceholder)).toBe(true);
    expect(isPlaceholder('0x8ba1f109551bD432803012645Ac136ddd64DBA72')).toBe(false);
  });
});
