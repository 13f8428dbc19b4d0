import { agreement, type WebhookKeys } from '@app/owners';
import { Vault } from '../database/vault';

const MARK = 'sealed:';
/** Bytes of a public key of X25519. */
const KEY_BYTES = 32;

/**
 * The secret of a receiver under a key that workers alone have: not even who sealed it can open it again.
 * @param sealing the public key of the workers @param watch the id of its row, where alone it opens
 */
export function sealSecret(sealing: string, watch: string, secret: string): string {
  const { publicKey, shared } = agreement(sealing);
  const sealed = vaultOf(shared, publicKey).seal('webhook_secret', watch, Buffer.from(secret));
  return MARK + Buffer.concat([Buffer.from(publicKey, 'base64url'), sealed]).toString('base64url');
}

/** What was sealed; undefined when it was for other keys, for another watch, or is broken. */
export function openSecret(keys: Pick<WebhookKeys, 'agree'>, watch: string, stored: string): string | undefined {
  if (!stored.startsWith(MARK)) return undefined;
  const bytes = Buffer.from(stored.slice(MARK.length), 'base64url');
  const publicKey = bytes.subarray(0, KEY_BYTES).toString('base64url');
  try {
    const vault = vaultOf(keys.agree(publicKey), publicKey);
    return vault.open('webhook_secret', watch, bytes.subarray(KEY_BYTES))?.toString('utf8');
  } catch {
    return undefined; // no public key: as good as another one
  }
}

function vaultOf(shared: Buffer, publicKey: string): Vault {
  return new Vault(`${shared.toString('base64url')}.${publicKey}`);
}
