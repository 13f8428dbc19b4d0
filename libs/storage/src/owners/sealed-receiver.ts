import type { Vault } from '../database/vault';

/**
 * The address of a receiver, which alone lets anybody post there, or what it answered, as they are stored.
 * @param of whose it is: the watched host of an address, the watch of an answer
 */
export function sealReceiver(vault: Vault, of: string, text: string): string {
  return vault.sealText('receiver', of, text);
}

/**
 * What {@link sealReceiver} returned. Empty when none of the keys opens it: rows are read together, and a message to an
 * empty address fails like one to any other that is refused.
 */
export function openReceiver(vault: Vault, of: string, stored: string): string {
  return vault.openText('receiver', of, stored) ?? '';
}
