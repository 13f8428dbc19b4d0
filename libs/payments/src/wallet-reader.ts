import type { WalletReader } from './signature-check';
import type { ContractWallets } from './contract-wallets';

/**
 * Opens a reader of contract wallets. viem is loaded with the first query, because nearly all payments are signed by
 * keys.
 * @param rpcUrls RPC endpoints; if one fails, the next is used
 */
export function walletReader(rpcUrls: readonly string[]): WalletReader {
  let wallets: Promise<ContractWallets> | undefined;
  return {
    accepts: async (...question) => {
      wallets ??= import('./contract-wallets.js').then((read) => new read.ContractWallets(rpcUrls));
      return (await wallets).accepts(...question);
    },
  };
}
