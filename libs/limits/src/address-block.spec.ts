import { addressBlock } from './address-block';

describe('the block of an address', () => {
  it.each([
    ['45.33.32.156', '45.33.32.0/24'],
    ['45.33.32.0', '45.33.32.0/24'],
    ['45.33.33.0', '45.33.33.0/24'],
    ['2606:4700:10:3::1', '2606:4700:10::/48'],
    ['2606:4700:10:ffff:ffff::1', '2606:4700:10::/48'],
    ['2606:4700:11::1', '2606:4700:11::/48'],
  ])('of %s is %s', (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});
