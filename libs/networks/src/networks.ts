import type { NetworkRow, Token } from './network-row';
import { TABLE } from './table';

/** A network in payment challenges. */
export interface Network extends Omit<NetworkRow, 'testnet'> {
  /** CAIP-2 id. */
  readonly caip2: string;
  readonly testnet: boolean;
}

export const NETWORKS: readonly Network[] = Object.entries<NetworkRow>(TABLE).map(([caip2, row]) => ({
  ...row,
  caip2,
  testnet: row.testnet ?? false,
}));

const BY_ID = new Map(NETWORKS.map((network) => [network.caip2, network]));
const BY_V1_NAME = new Map(NETWORKS.map(({ v1Name, caip2 }) => [v1Name, caip2]));
const TOKENS = NETWORKS.flatMap(({ caip2, assets = [] }) => assets.map((token) => ({ caip2, token })));
const TOKENS_BY_KEY = new Map(TOKENS.map(({ caip2, token }) => [keyOf(caip2, token.address), token]));
const TOKEN_ADDRESSES = new Set(TOKENS.map(({ token }) => comparableAddress(token.address)));

/** CAIP-2 grammar, https://chainagnostic.org/CAIPs/caip-2. */
export function isCaip2(id: string): boolean {
  return /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/.test(id);
}

/**
 * The CAIP-2 id for a stated id. For Algorand it is a prefix of the genesis hash, but the full hash is also in use,
 * even in the examples of the scheme. All other ids are returned unchanged.
 */
export function canonicalNetworkId(stated: string): string {
  return /^(algorand:[-_+/A-Za-z0-9]{32})[-_+/A-Za-z0-9]{11}=$/.exec(stated)?.[1] ?? stated;
}

/** The known network with this CAIP-2 id. */
export function networkById(caip2: string): Network | undefined {
  return BY_ID.get(caip2);
}

/** The mainnet of a testnet, found by its namespace and the start of its name. */
export function mainNetworkOf({ caip2, name, testnet }: Network): Network | undefined {
  if (!testnet) return undefined;
  const namespace = caip2.split(':', 1)[0];
  const [first] = NETWORKS.filter((network) => !network.testnet && network.caip2.split(':', 1)[0] === namespace)
    .filter((network) => name.startsWith(network.name.split(' ', 1)[0] ?? network.name))
    .sort((a, b) => b.name.length - a.name.length);
  return first;
}

/** The CAIP-2 id for a network name of x402 V1, for example `base` → `eip155:8453`. */
export function caip2OfV1Name(name: string): string | undefined {
  return BY_V1_NAME.get(name);
}

/** The token at `address` on a network. Hexadecimal addresses are compared case-insensitively, base58 ones exactly. */
export function tokenAt(network: string, address: string): Token | undefined {
  return TOKENS_BY_KEY.get(keyOf(network, address));
}

/**
 * Whether a known token has this address on any network; an unknown (network, asset) pair is then a confusion of
 * networks.
 */
export function isTokenElsewhere(address: string): boolean {
  return TOKEN_ADDRESSES.has(comparableAddress(address));
}

function keyOf(network: string, address: string): string {
  return `${network} ${comparableAddress(address)}`;
}

/** Lower-cases hexadecimal addresses for comparison. @param value any other value is returned unchanged */
export function comparableAddress<Value>(value: Value): Value | string {
  return typeof value === 'string' && /^0x/i.test(value) ? value.toLowerCase() : value;
}
