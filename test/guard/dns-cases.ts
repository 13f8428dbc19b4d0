/** A name and its DNS responses for consecutive probes. */
export interface DnsCase {
  readonly expected: 'block' | 'allow';
  readonly name: string;
  readonly why: string;
  /** The responses for the first probe, the second, and so on: addresses, or the error. */
  readonly answers: readonly (readonly string[] | 'dns_nxdomain' | 'dns_timeout')[];
}

const blocked = (name: string, why: string, ...answers: DnsCase['answers']): DnsCase => ({
  expected: 'block',
  name,
  why,
  answers,
});
const allowed = (name: string, why: string, ...answers: DnsCase['answers']): DnsCase => ({
  expected: 'allow',
  name,
  why,
  answers,
});

/** Public addresses of this service that its interfaces do not show, in the format of `PROBER_EGRESS`. */
export const OWN_ADDRESSES = ['45.33.32.99', '45.33.32.98/32', '2600:3c00::98/128'];

/** Names and their addresses. Names that must not be connected come first. */
export const DNS_CASES: readonly DnsCase[] = [
  blocked('rebind.example.org', 'public first, loopback second', ['45.33.32.156'], ['127.0.0.1']),
  blocked('mixed.example.org', 'one public and one private address', ['45.33.32.156', '10.9.8.7']),
  blocked('mixed6.example.org', 'public IPv4 beside unique local IPv6', ['45.33.32.156', 'fd12::1']),
  blocked('any.example.org', 'the unspecified address', ['0.0.0.0']),
  blocked('metadata.example.org', 'instance metadata', ['169.254.169.254']),
  blocked('nat64.example.org', 'metadata through NAT64', ['64:ff9b::a9fe:a9fe']),
  blocked('mapped.example.org', 'a mapped private address', ['::ffff:10.9.8.7']),
  blocked('carrier.example.org', 'the shared address space', ['100.64.7.7']),
  blocked('mirror.example.org', 'this service itself', ['45.33.32.99']),
  blocked('range.example.org', 'the one address of a range', ['45.33.32.98']),
  blocked('range6.example.org', 'the one address of a range of IPv6', ['2600:3c00::98']),
  blocked('missing.example.org', 'no such name', 'dns_nxdomain'),
  blocked('broken.example.org', 'a name server that does not answer', 'dns_timeout'),
  blocked(
    'crowd.example.org',
    'three hundred addresses',
    Array.from({ length: 300 }, (_, i) => `45.33.${i % 200}.9`),
  ),
  blocked('127.0.0.2.wild.example.net', 'a wildcard that spells loopback', ['127.0.0.2']),
  blocked('a.127.0.0.2.1time.10.9.8.7.1time.example.net', 'loopback once, 10/8 once', ['127.0.0.2'], ['10.9.8.7']),
  allowed('good.example.org', 'one public address', ['45.33.32.156']),
  allowed('dual.example.org', 'both families', ['45.33.32.156', '2606:2800:220:1::1']),
  allowed('moving.example.org', 'another public address each time', ['45.33.32.156'], ['9.9.9.9']),
];
