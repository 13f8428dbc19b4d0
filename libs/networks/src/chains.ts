import type { ReadableRow, TokenDomain } from './network-row';
import { TABLE } from './table';

type Table = typeof TABLE;
type IdsWith<Member extends string> = { [Id in keyof Table]: Member extends keyof Table[Id] ? Id : never }[keyof Table];

/** CAIP-2 id of a network whose chain we can read. */
export type ReadableId = IdsWith<'rpcVariable'>;
/** CAIP-2 id of a network on which this service can be paid. */
export type SellableId = IdsWith<'sellable'>;
/** Name of a variable with RPC endpoints. */
export type RpcVariable = Table[ReadableId]['rpcVariable'];

/** A network whose chain we can read. */
export interface Chain {
  /** CAIP-2. */
  readonly id: ReadableId;
  readonly chainId: number;
  readonly name: string;
  readonly testnet: boolean;
  /** The network's name in x402 version 1, or its id if it has none. */
  readonly v1Name: string;
  readonly rpcVariable: RpcVariable;
  /** Address, decimals and the EIP-712 domain of its authorizations. */
  readonly usdc: TokenDomain & { readonly address: `0x${string}`; readonly decimals: number };
}

/** In the order of the table, as clients see them. */
export const READABLE: readonly ReadableId[] = idsWith('rpcVariable');
export const SELLABLE: readonly SellableId[] = idsWith('sellable');

/** The network used if none is given. */
export const DEFAULT_NETWORK = 'eip155:8453' satisfies SellableId;

export const CHAINS = Object.fromEntries(READABLE.map((id) => [id, chainOf(id)])) as Readonly<
  Record<ReadableId, Chain>
>;

/** Builds a value for each network whose chain we can read. */
export function perChain<Value>(make: (chain: Chain) => Value): Readonly<Record<ReadableId, Value>> {
  return Object.fromEntries(READABLE.map((id) => [id, make(CHAINS[id])])) as Record<ReadableId, Value>;
}

/** The network with this id if this service can be paid on it; otherwise the default. */
export function sellingChain(id: string | undefined): Chain {
  return CHAINS[SELLABLE.find((sold) => sold === id) ?? DEFAULT_NETWORK];
}

function idsWith<Member extends string>(member: Member): readonly IdsWith<Member>[] {
  return (Object.keys(TABLE) as (keyof Table)[]).filter((id): id is IdsWith<Member> => member in TABLE[id]);
}

function chainOf(id: ReadableId): Chain {
  const row: ReadableRow = TABLE[id];
  const { name, testnet = false, v1Name = id, assets = [] } = row;
  const usdc = assets.find(({ symbol, domain }) => symbol === 'USDC' && domain !== null);
  if (!usdc?.domain) throw new Error(`the row of ${id} has no USDC contract`);
  const chainId = Number(id.slice(id.indexOf(':') + 1));
  return {
    id,
    chainId,
    name,
    testnet,
    v1Name,
    rpcVariable: TABLE[id].rpcVariable,
    usdc: { address: usdc.address as `0x${string}`, decimals: usdc.decimals, ...usdc.domain },
  };
}
