import { networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ProbeFault } from './failure';

/** Why an address must not be dialled. For logs and metrics; callers only ever see `address_refused`. */
export type BlockedReason =
  | 'malformed' //        not one plain address; a zone id, an octal or a hexadecimal form counts as malformed
  | 'special_use' //      in a special-purpose range of the IANA registries (RFC 6890), multicast, or an IPv4 embedding
  | 'not_allocated' //    IPv6 outside the global unicast block 2000::/3 (RFC 4291 section 2.4)
  | 'platform_service' // public in form, answered by the machine's own cloud platform
  | 'own_address'; //     this machine, or another machine of this service

/** Addresses that are unicast by the registries and still lead inside: Azure's wire server answers on every VM. */
const PLATFORM_SERVICES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** 2000::/3 is the only IPv6 block the registries delegate from; `::7f00:1`, `4000::` and their like lie outside. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Says why an address must not be dialled, or undefined when it is an ordinary public one.
 * ipaddr.js names the special ranges; what it calls "unicast" is narrowed to 2000::/3 for IPv6. Mapped, translated and
 * tunnelled IPv4 (`::ffff:`, NAT64, 6to4, Teredo) is refused even around a public address: no host needs it.
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

/** One spelling per address, so that addresses can be compared as text. Text that is not an address is returned unchanged. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 0 ? address : ipaddr.process(address).toString();
}

/** Addresses of this machine's interfaces, in canonical form: a name that leads to them is never probed. */
export function interfaceAddresses(): ReadonlySet<string> {
  const entries = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(entries.map((entry) => canonicalAddress(entry.address)));
}

/**
 * Addresses that are never dialled: those of this machine, and others of this service.
 * @param ranges addresses, or ranges in CIDR notation, of which those of one address count
 */
export function ownAddresses(ranges: readonly string[]): ReadonlySet<string> {
  const single = (range: string): string => range.replace(range.includes(':') ? /\/128$/ : /\/32$/, '');
  return new Set([...interfaceAddresses(), ...ranges.map((range) => canonicalAddress(single(range)))]);
}

/** Most addresses a name may have. More is a set made to hide a bad one, or a mistake; no site needs it. */
const MAX_ADDRESSES = 16;

/**
 * The addresses of a name in canonical form, IPv4 first, if all of them may be dialled. One bad address refuses the
 * whole set: a mixed set is the mark of an attack, and whichever address is dialled would be the attacker's choice.
 * @throws ProbeFault `address_refused`, the same for every reason; `dns_nxdomain` for an empty set
 */
export function vetAddresses(addresses: readonly string[], own: ReadonlySet<string>): readonly string[] {
  if (addresses.length === 0) throw new ProbeFault('dns_nxdomain');
  if (addresses.length > MAX_ADDRESSES || addresses.some((address) => blockedReasonOf(address, own) !== undefined)) {
    throw new ProbeFault('address_refused');
  }
  return addresses.map(canonicalAddress).sort((a, b) => isIP(a) - isIP(b));
}
