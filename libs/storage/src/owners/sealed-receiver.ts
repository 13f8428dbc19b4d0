import type { Vault } from '../database/vault';

/**
 * Encrypts a receiver's URL (which alone allows anybody to post there) or its answer.
 * @param of the owner of the text: the watched host for a URL, the watch for an answer
 */
export function sealReceiver(vault: Vault, of: string, text: string): string {
  return vault.sealText('receiver', of, text);
}

/**
 * Decrypts the result of {@link sealReceiver}. Returns an empty text if no key fits: rows are read together, so one
 * must not fail the others, and a delivery to an empty URL fails normally.
 */
export function openReceiver(vault: Vault, of: string, stored: string): string {
  return vault.openText('receiver', of, stored) ?? '';
}
