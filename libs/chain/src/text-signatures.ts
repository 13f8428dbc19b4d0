import type { Hex } from 'viem';

/** A text, and who is said to have signed it. */
export interface SignedText {
  readonly text: string;
  /** Lower case. */
  readonly wallet: string;
  /** Hex of any length: wallets that are contracts sign as they like. */
  readonly signature: string;
}

/** Whether the key of a wallet signed a text (EIP-191). Asks no chain. */
export async function isTextOfKey({ text, wallet, signature }: SignedText): Promise<boolean> {
  const { recoverMessageAddress } = await import('viem');
  const signer = await recoverMessageAddress({ message: text, signature: signature as Hex }).catch(() => undefined);
  return signer?.toLowerCase() === wallet;
}

/**
 * Whether the contract of a wallet says that it signed a text (EIP-1271), at a finalized block: what may vanish counts for
 * nothing, nor does a wallet that is not deployed (EIP-6492).
 * @throws when no node answers
 */
export async function isTextOfContract(
  { text, wallet, signature }: SignedText,
  rpcUrls: readonly string[],
): Promise<boolean> {
  const [{ hashMessage }, { ContractWallets }] = await Promise.all([import('viem'), import('./contract-wallets.js')]);
  return new ContractWallets(rpcUrls).acceptedFinally(wallet, hashMessage(text), signature);
}
