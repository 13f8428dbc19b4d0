import { V1_NETWORKS } from './network-tables.js';

/** The CAIP-2 id of a network in either version; an unknown network is returned unchanged. */
export function caip2Of(network: string): string {
  return Object.hasOwn(V1_NETWORKS, network) ? (V1_NETWORKS[network] ?? network) : network;
}

/** The key of a token in `DOLLAR_DECIMALS`. */
export function assetKey(network: string, asset: string): string {
  return `${network}/${isHex(network, asset) ? asset.toLowerCase() : asset}`;
}

/** Whether two texts name the same account or token. Only hexadecimal addresses are compared case-insensitively. */
export function sameAccount(network: string, a: string | null, b: string): boolean {
  return a !== null && (a === b || (isHex(network, a) && isHex(network, b) && a.toLowerCase() === b.toLowerCase()));
}

function isHex(network: string, account: string): boolean {
  return network.startsWith('eip155:') && /^0x[0-9a-f]{40}$/i.test(account);
}
