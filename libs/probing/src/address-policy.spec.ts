import { RANGES } from '../../../test/support/address-ranges';
import { canonicalAddress, interfaceAddresses, blockedReasonOf, vetAddresses } from './address-policy';
import { ProbeFault } from './failure';

describe('address policy', () => {
  it.each(RANGES)('refuses %s from %s to %s, but not the adjacent addresses', (_range, first, last, before, after) => {
    expect(blockedReasonOf(first)).toBeDefined();
    expect(blockedReasonOf(last)).toBeDefined();
    if (before) expect(blockedReasonOf(before)).toBeUndefined();
    if (after) expect(blockedReasonOf(after)).toBeUndefined();
  });

  it.each([
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped metadata in hexadecimal', '::ffff:a9fe:a9fe'],
    ['mapped public', '::ffff:9.9.9.9'],
    ['compatible loopback', '::7f00:1'],
    ['translated private', '64:ff9b::a00:1'],
    ['translated public', '64:ff9b::808:808'],
    ['local-use translation', '64:ff9b:1::a00:1'],
    ['translated', '::ffff:0:7f00:2'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['unique local', 'fd12:3456::1'],
    ['link local', 'fe80::1'],
    ['former site local', 'fec0::1'],
    ['segment routing', '5f00::1'],
  ])('refuses the %s address %s', (_kind, address) => {
    expect(blockedReasonOf(address)).toBeDefined();
  });

  it.each([
    'fe80::1%eth0',
    '2606:4700::1111%1',
    '0x7f.1',
    '127.1',
    '2130706433',
    '010.0.0.1',
    '1.2.3.4:80',
    '',
    'shop',
  ])('refuses %p, which is not a plain address', (text) => {
    expect(blockedReasonOf(text)).toBe('malformed');
  });

  it('refuses the addresses of this service', () => {
    const own = new Set([canonicalAddress('2A00:1450:0:0::5'), '45.33.32.156']);
    expect(blockedReasonOf('45.33.32.156', own)).toBe('own_address');
    expect(blockedReasonOf('2a00:1450::5', own)).toBe('own_address');
    expect(blockedReasonOf('45.33.32.157', own)).toBeUndefined();
    expect(interfaceAddresses()).toContain('127.0.0.1');
  });

  it.each(['2001:500:88:200::8', '2400:cb00:2048:1::c629:d7a2', '2620:0:2d0:200::7', '2a02:26f0:1::1', '2003::77'])(
    'allows %s',
    (address) => {
      expect(blockedReasonOf(address)).toBeUndefined();
    },
  );

  it('has one spelling per address', () => {
    expect(canonicalAddress('::ffff:5.6.7.8')).toBe('5.6.7.8');
    expect(canonicalAddress('2606:4700:0:0::6810:1')).toBe(canonicalAddress('2606:4700::6810:1'));
  });
});

describe('a set of addresses', () => {
  const none = new Set<string>();
  const publicOnes = (count: number) => Array.from({ length: count }, (_, i) => `45.33.32.${i}`);

  it('is sorted with IPv4 first', () => {
    expect(vetAddresses(['2606:4700::1', '45.33.32.156'], none)).toEqual(['45.33.32.156', '2606:4700::1']);
  });

  it.each([
    ['loopback', ['45.33.32.156', '127.0.0.1']],
    ['private', ['45.33.32.156', 'fd00::1']],
    ['metadata', ['169.254.169.254']],
    ['too many to probe', publicOnes(17)],
  ])('is refused as a whole, always with the same reason: %s', (_kind, set) => {
    expect(() => vetAddresses(set, none)).toThrow(new ProbeFault('address_refused'));
  });

  it('must have one to sixteen addresses', () => {
    expect(vetAddresses(publicOnes(16), none)).toHaveLength(16);
    expect(() => vetAddresses([], none)).toThrow(new ProbeFault('dns_nxdomain'));
  });
});
