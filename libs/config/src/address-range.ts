import ipaddr from 'ipaddr.js';

/** An address written in full, or a range of them (RFC 4632): `192.0.2.1`, `2001:db8::/32`. */
export function isAddressOrRange(text: string): boolean {
  return isAddress(text) || isRange(text);
}

/** A range in CIDR notation. */
export function isRange(text: string): boolean {
  return isAddress(text.split('/', 1)[0] ?? '') && ipaddr.isValidCIDR(text);
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}
