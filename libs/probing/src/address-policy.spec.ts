import { canonicalAddress, interfaceAddresses, blockedReasonOf, vetAddresses } from './address-policy';
import { ProbeFault } from './failure';

describe('address policy', () => {
  // First and last address of every refused range, and the public neighbours on both sides where there are any.
  it.each([
    ['this network, RFC 1122', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
    ['private use, RFC 1918', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['shared address space, RFC 6598', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['loopback, RFC 1122', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['link local, RFC 3927', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['private use, RFC 1918', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['IETF protocol assignments, RFC 6890', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['documentation, RFC 5737', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['AS112, RFC 7535', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
    ['AMT, RFC 7450', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
    ['6to4 relays, RFC 7526', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['private use, RFC 1918', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['AS112, RFC 7534', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
    ['benchmarking, RFC 2544', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['documentation, RFC 5737', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['documentation, RFC 5737', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['multicast and reserved, RFC 1112', '224.0.0.0', '255.255.255.255', '223.255.255.255', undefined],
    ['a cloud platform on every machine', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
    ['all below global unicast, RFC 4291', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2003::'],
    ['IETF protocol assignments, RFC 2928', '2001::', '2001:1ff:ffff::', undefined, '2001:200::'],
    ['documentation, RFC 3849', '2001:db8::', '2001:db8:ffff:ffff::', '2001:db7:ffff::', '2001:db9::'],
    ['6to4, RFC 3056', '2002::', '2002:ffff:ffff:ffff::', undefined, '2003::1'],
    ['documentation, RFC 9637', '3fff::', '3fff:fff:ffff::', '3ffe:ffff::', '3fff:1000::'],
    ['all above global unicast, RFC 4291', '4000::', 'ffff:ffff:ffff::ffff', '3fff:ffff::', undefined],
  ])('refuses %s from %s to %s and nothing beside it', (_range, first, last, before, after) => {
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
  ])('refuses %p, which is not one plain address', (text) => {
    expect(blockedReasonOf(text)).toBe('malformed');
  });

  it('refuses the addresses of this service', () => {
    const own = new Set([canonicalAddress('2A00:1450:0:0::5'), '45.33.32.156']);
    expect(blockedReasonOf('45.33.32.156', own)).toBe('own_address');
    expect(blockedReasonOf('2a00:1450::5', own)).toBe('own_address');
    expect(blockedReasonOf('45.33.32.157', own)).toBeUndefined();
    expect(interfaceAddresses()).toContain('127.0.0.1');
  });

  it('spells one address one way', () => {
    expect(canonicalAddress('::ffff:5.6.7.8')).toBe('5.6.7.8');
    expect(canonicalAddress('2606:4700:0:0::6810:1')).toBe(canonicalAddress('2606:4700::6810:1'));
  });
});

describe('a set of addresses', () => {
  const none = new Set<string>();
  const publicOnes = (count: number) => Array.from({ length: count }, (_, i) => `45.33.32.${i}`);

  it('is passed on with IPv4 first', () => {
    expect(vetAddresses(['2606:4700::1', '45.33.32.156'], none)).toEqual(['45.33.32.156', '2606:4700::1']);
  });

  it.each([
    ['loopback', ['45.33.32.156', '127.0.0.1']],
    ['private', ['45.33.32.156', 'fd00::1']],
    ['metadata', ['169.254.169.254']],
    ['too many to probe', publicOnes(17)],
  ])('is refused as a whole, always with the same word: %s', (_kind, set) => {
    expect(() => vetAddresses(set, none)).toThrow(new ProbeFault('address_refused'));
  });

  it('may hold sixteen addresses and not none', () => {
    expect(vetAddresses(publicOnes(16), none)).toHaveLength(16);
    expect(() => vetAddresses([], none)).toThrow(new ProbeFault('dns_nxdomain'));
  });
});
