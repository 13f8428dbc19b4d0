import type { WalletReader } from './signature-check';
import type { ContractWallets } from './contract-wallets';

/**
 * Wallets that are contracts. viem is read with the first question: nearly all payments are signed by keys.
 * @param rpcUrls RPC endpoints, the next one is used when one fails
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
