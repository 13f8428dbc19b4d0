import { V1_NETWORKS } from './network-tables.js';

/** The CAIP-2 id of a network of either version; what is unknown stands for itself. */
export function caip2Of(network: string): string {
  return Object.hasOwn(V1_NETWORKS, network) ? (V1_NETWORKS[network] ?? network) : network;
}

/** How a token is named in `DOLLAR_DECIMALS`. */
export function assetKey(network: string, asset: string): string {
  return `${network}/${isHex(network, asset) ? asset.toLowerCase() : asset}`;
}

/** Whether two texts name one account or token. Only hexadecimal addresses compare without case. */
export function sameAccount(network: string, a: string | null, b: string): boolean {
  return a !== null && (a === b || (isHex(network, a) && isHex(network, b) && a.toLowerCase() === b.toLowerCase()));
}

function isHex(network: string, account: string): boolean {
  return network.startsWith('eip155:') && /^0x[0-9a-f]{40}$/i.test(account);
}
