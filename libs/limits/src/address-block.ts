import ipaddr from 'ipaddr.js';

/** Bits of an address that are commonly one network's: what a site of one owner is given (RFC 6177 for IPv6). */
const PREFIX = { ipv4: 24, ipv6: 48 } as const;

/** The /24 (IPv6: /48) an address belongs to, in CIDR notation. The address must be a valid one. */
export function addressBlock(address: string): string {
  const parsed = ipaddr.parse(address);
  const family = parsed.kind();
  const network =
    family === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${PREFIX.ipv4}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${PREFIX.ipv6}`);
  return `${network.toString()}/${PREFIX[family]}`;
}
