/** One name and what the DNS says about it, probe after probe. */
export interface DnsCase {
  readonly expected: 'block' | 'allow';
  readonly name: string;
  readonly why: string;
  /** Answers of the first probe, the second, and so on: addresses, or what went wrong. */
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

/** An address of this service that its interfaces do not show. */
export const OWN_ADDRESS = '45.33.32.99';

/** Names as they resolve: 24 that must not be dialled, 3 that may. */
export const DNS_CASES: readonly DnsCase[] = [
  blocked('rebind.example.org', 'public first, loopback second', ['45.33.32.156'], ['127.0.0.1']),
  blocked('mixed.example.org', 'one public and one private address', ['45.33.32.156', '10.9.8.7']),
  blocked('mixed6.example.org', 'public IPv4 beside unique local IPv6', ['45.33.32.156', 'fd12::1']),
  blocked('any.example.org', 'the unspecified address', ['0.0.0.0']),
  blocked('metadata.example.org', 'instance metadata', ['169.254.169.254']),
  blocked('nat64.example.org', 'metadata through NAT64', ['64:ff9b::a9fe:a9fe']),
  blocked('mapped.example.org', 'a mapped private address', ['::ffff:10.9.8.7']),
  blocked('carrier.example.org', 'the shared address space', ['100.64.7.7']),
  blocked('mirror.example.org', 'this service itself', [OWN_ADDRESS]),
  blocked('alias.example.org', 'an alias of localhost', ['127.0.0.1']),
  blocked('missing.example.org', 'no such name', 'dns_nxdomain'),
  blocked('broken.example.org', 'a name server that does not answer', 'dns_timeout'),
  blocked(
    'crowd.example.org',
    'three hundred addresses',
    Array.from({ length: 300 }, (_, i) => `45.33.${i % 200}.9`),
  ),
  blocked('127.0.0.2.wild.example.net', 'a wildcard that spells loopback', ['127.0.0.2']),
  blocked('169.254.169.254.wild.example.net', 'a wildcard that spells metadata', ['169.254.169.254']),
  blocked('10.9.8.7.wild.example.net', 'a wildcard that spells 10/8', ['10.9.8.7']),
  blocked('localhere.example.net', 'a public name of loopback', ['127.0.0.1']),
  blocked('vhosthere.example.net', 'a public name of loopback, both families', ['127.0.0.1', '::1']),
  blocked('one.app.localhost.shop.127.0.0.2.wild.example.net', 'loopback below many labels', ['127.0.0.2']),
  blocked('7f000002.c0a8b201.swap.example.net', 'loopback and 192.168/16 in turns', ['127.0.0.2'], ['192.168.178.1']),
  blocked('make-9.9.9.9-rebind-127.0.0.2.example.net', 'public and loopback in turns', ['9.9.9.9'], ['127.0.0.2']),
  blocked('a.127.0.0.2.1time.10.9.8.7.1time.example.net', 'loopback once, 10/8 once', ['127.0.0.2'], ['10.9.8.7']),
  blocked('collaborator.example.net', 'loopback under a name of a test tool', ['127.0.0.1']),
  blocked('cloud.example.net', 'metadata under a public name', ['169.254.169.254']),
  allowed('good.example.org', 'one public address', ['45.33.32.156']),
  allowed('dual.example.org', 'both families', ['45.33.32.156', '2606:2800:220:1::1']),
  allowed('moving.example.org', 'another public address each time', ['45.33.32.156'], ['9.9.9.9']),
];
