import type { TransferReader } from './transfer-reader';

/**
 * Reads what the chain says of money that came in. viem is read here: who only looks up transactions does not need it.
 * @param rpcUrls RPC endpoints, the next one asked when one fails
 */
export async function openTransferReader(rpcUrls: readonly string[]): Promise<TransferReader> {
  const { ViemTransferReader } = await import('./viem-transfer-reader.js');
  return new ViemTransferReader(rpcUrls);
}
