import { networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ProbeFault } from './failure';

/** Why we must not connect to an address. For logs and metrics only; callers always see `address_refused`. */
export type BlockedReason =
  | 'malformed' // not a plain address; a zone id and octal or hexadecimal forms count as malformed
  | 'special_use' //      in a special-purpose range of the IANA registries (RFC 6890), multicast, or an IPv4 embedding
  | 'not_allocated' //    IPv6 outside the global unicast block 2000::/3 (RFC 4291 section 2.4)
  | 'platform_service' // looks public, but belongs to the machine's own cloud platform
  | 'own_address'; //     this machine, or another machine of this service

/** Addresses that are unicast in the registries but internal in practice: Azure's wire server answers on every VM. */
const PLATFORM_SERVICES: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * The registries only delegate IPv6 addresses from 2000::/3. `::7f00:1`, `4000::` and similar ones are outside of it.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Why we must not connect to an address; undefined for an ordinary public one. ipaddr.js knows the special ranges, but
 * its "unicast" is narrowed to 2000::/3 for IPv6. Mapped, translated and tunneled IPv4 (`::ffff:`, NAT64, 6to4, Teredo)
 * is refused even for a public address, because no host needs it.
 */
export function blockedReasonOf(address: string, own: ReadonlySet<string> = new Set()): BlockedReason | undefined {
  if (isIP(address) === 0 || address.includes('%')) return 'malformed';
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return 'special_use';
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return 'not_allocated';
  const canonical = parsed.toString();
  if (PLATFORM_SERVICES.has(canonical)) return 'platform_service';
  return own.has(canonical) ? 'own_address' : undefined;
}

/**
 * A canonical spelling, so that addresses can be compared as text. Text that is not an address is returned unchanged.
 */
export function canonicalAddress(address: string): string {
  return isIP(address) === 0 ? address : ipaddr.process(address).toString();
}

/** Addresses of this machine's interfaces in canonical form. A name that resolves to one is never probed. */
export function interfaceAddresses(): ReadonlySet<string> {
  const entries = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(entries.map((entry) => canonicalAddress(entry.address)));
}

/**
 * Addresses of this machine and others of this service, to which we never connect.
 * @param ranges addresses or ranges in CIDR notation; ranges only count if they have a single address
 */
export function ownAddresses(ranges: readonly string[]): ReadonlySet<string> {
  const single = (range: string): string => range.replace(range.includes(':') ? /\/128$/ : /\/32$/, '');
  return new Set([...interfaceAddresses(), ...ranges.map((range) => canonicalAddress(single(range)))]);
}

/**
 * The maximum number of addresses of a name. A larger set is a mistake or meant to hide a bad address; no site needs
 * it.
 */
const MAX_ADDRESSES = 16;

/**
 * The addresses of a name in canonical form, IPv4 first, if all of them are allowed. One bad address refuses the whole
 * set, because a mixed set indicates an attack, and the attacker could choose which one is used.
 * @throws ProbeFault `address_refused`, the same for every reason; `dns_nxdomain` for an empty set
 */
export function vetAddresses(addresses: readonly string[], own: ReadonlySet<string>): readonly string[] {
  if (addresses.length === 0) throw new ProbeFault('dns_nxdomain');
  if (addresses.length > MAX_ADDRESSES || addresses.some((address) => blockedReasonOf(address, own) !== undefined)) {
    throw new ProbeFault('address_refused');
  }
  return addresses.map(canonicalAddress).sort((a, b) => isIP(a) - isIP(b));
}
