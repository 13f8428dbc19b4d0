import { createHash, createHmac, randomBytes } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from './alerts/webhook-signature';

/** Tells a key from others, to its owner and to secret scanners. */
export const KEY_PREFIX = { claim: 'hpo_', subscription: 'hps_', watch: 'hpw_' } as const;

/** A key of 256 bits, random ones unless a payment gives them. */
export function newKey(of: keyof typeof KEY_PREFIX, bits: Buffer = randomBytes(32)): string {
  return KEY_PREFIX[of] + bits.toString('base64url');
}

/** What is stored of a key: hex SHA-256. A key has 256 bits of its own, so that a slow hash would protect nothing more. */
export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** What is shown once of a watch. */
export interface WatchSecrets {
  /** Manages the watch. */
  readonly key: string;
  /** Verifies its alerts. */
  readonly secret: string;
}

/**
 * The key of a subscription that a payment bought. The ledger stores answers and sends them again for the same payment, and no
 * key may be stored: so the key is made again from the payment whenever the answer is released. Only the server's secret
 * makes keys; what a payment consists of is public on the chain.
 * @param paymentDigest SHA-256 of the signed payment, hex
 */
export function purchasedKey(serverSecret: string, paymentDigest: string): string {
  return newKey('subscription', made(serverSecret, `subscription ${paymentDigest}`));
}

/** What is shown of a watch that a payment bought, made as {@link purchasedKey} is. */
export function purchasedWatch(serverSecret: string, paymentDigest: string): WatchSecrets {
  return {
    key: newKey('watch', made(serverSecret, `watch key ${paymentDigest}`)),
    secret: WEBHOOK_SECRET_PREFIX + made(serverSecret, `watch secret ${paymentDigest}`).toString('base64'),
  };
}

function made(serverSecret: string, what: string): Buffer {
  return createHmac('sha256', serverSecret).update(what).digest();
}
