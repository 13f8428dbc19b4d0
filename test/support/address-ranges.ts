/** First and last address of every refused range, and the public neighbors on both sides if there are any. */
export const RANGES: readonly (readonly [
  range: string,
  first: string,
  last: string,
  before: string | undefined,
  after: string | undefined,
])[] = [
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
  ['AS112, RFC 7534', '2620:4f:8000::', '2620:4f:8000::2', '2620:4f:7fff::', '2620:4f:8001::'],
  ['all above global unicast, RFC 4291', '4000::', 'ffff:ffff:ffff::ffff', '3fff:ffff::', undefined],
];

export const INSIDE = RANGES.flatMap(([, first, last]) => [first, last]);
export const OUTSIDE = RANGES.flatMap(([, , , ...beside]) => beside).filter((address) => address !== undefined);
