import type { TransferReader } from './viem-transfer-reader';

/**
 * Opens a reader of incoming transfers. viem is loaded here, because looking up transactions does not need it.
 * @param rpcUrls RPC endpoints; if one fails, the next is used
 */
export async function openTransferReader(rpcUrls: readonly string[]): Promise<TransferReader> {
  const { ViemTransferReader } = await import('./viem-transfer-reader.js');
  return new ViemTransferReader(rpcUrls);
}
