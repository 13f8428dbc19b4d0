import { agreement, type WebhookKeys } from '@app/owners';
import { Vault } from '../database/vault';

const MARK = 'sealed:';
/** Length of an X25519 public key in bytes. */
const KEY_BYTES = 32;

/**
 * Encrypts the secret of a receiver for the workers; the encrypting process cannot decrypt it.
 * @param sealing the workers' public key @param watch the id of its row, which is needed to decrypt it
 */
export function sealSecret(sealing: string, watch: string, secret: string): string {
  const { publicKey, shared } = agreement(sealing);
  const sealed = vaultOf(shared, publicKey).seal('webhook_secret', watch, Buffer.from(secret));
  return MARK + Buffer.concat([Buffer.from(publicKey, 'base64url'), sealed]).toString('base64url');
}

/** Decrypts a secret; undefined if it was encrypted for other keys or another watch, or is broken. */
export function openSecret(keys: Pick<WebhookKeys, 'agree'>, watch: string, stored: string): string | undefined {
  if (!stored.startsWith(MARK)) return undefined;
  const bytes = Buffer.from(stored.slice(MARK.length), 'base64url');
  const publicKey = bytes.subarray(0, KEY_BYTES).toString('base64url');
  try {
    const vault = vaultOf(keys.agree(publicKey), publicKey);
    return vault.open('webhook_secret', watch, bytes.subarray(KEY_BYTES))?.toString('utf8');
  } catch {
    return undefined; // an invalid public key counts as a wrong one
  }
}

function vaultOf(shared: Buffer, publicKey: string): Vault {
  return new Vault(`${shared.toString('base64url')}.${publicKey}`);
}
