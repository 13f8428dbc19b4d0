import ipaddr from 'ipaddr.js';

/**
 * The published networks of content delivery networks and shop platforms. Their addresses serve hosts of many owners,
 * so neighboring addresses there are unrelated.
 */
const SHARED_NETWORKS = [
  // Cloudflare
  ...['173.245.48.0/20', '103.21.244.0/22', '103.22.200.0/22', '103.31.4.0/22', '141.101.64.0/18', '108.162.192.0/18'],
  ...['190.93.240.0/20', '188.114.96.0/20', '197.234.240.0/22', '198.41.128.0/17', '162.158.0.0/15', '104.16.0.0/13'],
  ...['104.24.0.0/14', '172.64.0.0/13', '131.0.72.0/22', '2400:cb00::/32', '2606:4700::/32', '2803:f800::/32'],
  ...['2405:b500::/32', '2405:8100::/32', '2a06:98c0::/29', '2c0f:f248::/32'],
  // Fastly
  ...['23.235.32.0/20', '43.249.72.0/22', '103.244.50.0/24', '103.245.222.0/23', '103.245.224.0/24', '104.156.80.0/20'],
  ...['140.248.64.0/18', '140.248.128.0/17', '146.75.0.0/17', '151.101.0.0/16', '157.52.64.0/18', '167.82.0.0/17'],
  ...['167.82.128.0/20', '167.82.160.0/20', '167.82.224.0/20', '172.111.64.0/18', '185.31.16.0/22', '199.27.72.0/21'],
  ...['199.232.0.0/16', '2a04:4e40::/32', '2a04:4e42::/32'],
  // Shopify, Squarespace, Wix, GitHub Pages, Vercel
  ...['23.227.32.0/19', '198.185.159.0/24', '198.49.23.0/24', '185.230.60.0/22', '185.199.108.0/22', '76.76.21.0/24'],
].map((range) => ipaddr.parseCIDR(range));

/**
 * The network of an address, in CIDR notation: /24, or /48 for IPv6, which is what one owner's site gets (RFC 6177).
 * The address must be valid.
 */
export function addressBlock(address: string): string {
  return ipaddr.parse(address).kind() === 'ipv4'
    ? `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`).toString()}/24`
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`).toString()}/48`;
}

/** The blocks whose budgets apply to a host at these addresses; none on a shared network (behaviour 12.3). */
export function countedBlocks(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses.filter((address) => !isShared(address)).map(addressBlock))];
}

function isShared(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return SHARED_NETWORKS.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
}
