import { isAccount, namespaceOf } from './accounts';
import { networkById, tokenAt } from './networks';

/** The kinds of pages of a block explorer. */
type Kind = 'account' | 'asset' | 'transaction';

/** The paths of the explorers, by the namespace of CAIP-2 ids. */
const PATHS: Readonly<Record<string, Readonly<Record<Kind, string>>>> = {
  eip155: { account: 'address', asset: 'token', transaction: 'tx' },
  solana: { account: 'account', asset: 'token', transaction: 'tx' },
  stellar: { account: 'account', asset: 'contract', transaction: 'tx' },
  algorand: { account: 'account', asset: 'asset', transaction: 'transaction' },
  aptos: { account: 'account', asset: 'fungible_asset', transaction: 'txn' },
  hedera: { account: 'account', asset: 'token', transaction: 'transaction' },
};

/**
 * The page of an account, an asset or a transaction at the block explorer of a network. Undefined for a network
 * without an explorer, and for an account or asset that is unknown or not in the form of the network.
 * @param network CAIP-2 id
 */
export function explorerUrl(network: string, kind: Kind, id: string): string | undefined {
  const base = networkById(network)?.explorer;
  const path = base && PATHS[namespaceOf(network)]?.[kind];
  if (!base || !path) return undefined;
  if (kind === 'account' && !isAccount(id, network)) return undefined;
  if (kind === 'asset' && !tokenAt(network, id)) return undefined;
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}/${encodeURIComponent(id)}`;
  return url.href;
}
