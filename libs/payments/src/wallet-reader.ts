import type { WalletReader } from './signature-check';
import type { ContractWallets } from './contract-wallets';

/**
 * Wallets that are contracts. viem is read with the first question: nearly all payments are signed by keys.
 * @param rpcUrls RPC endpoints, the next one is used when one fails
 */
export function walletReader(rpcUrls: readonly string[]): WalletReader {
  let wallets: Promise<ContractWallets> | undefined;
  const open = async (): Promise<ContractWallets> => {
    const { ContractWallets } = await import('./contract-wallets.js');
    return new ContractWallets(rpcUrls);
  };
  return {
    accepts: async (...question) => (await (wallets ??= open())).accepts(...question),
  };
}
