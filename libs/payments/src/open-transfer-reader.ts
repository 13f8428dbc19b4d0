import type { TransferReader } from './viem-transfer-reader';

/**
 * Reads what the chain says of money that came in. viem is read here, since a lookup of transactions does not need it.
 * @param rpcUrls RPC endpoints, the next one is used when one fails
 */
export async function openTransferReader(rpcUrls: readonly string[]): Promise<TransferReader> {
  const { ViemTransferReader } = await import('./viem-transfer-reader.js');
  return new ViemTransferReader(rpcUrls);
}
