import { createHash, createHmac, randomBytes } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from './alerts/webhook-signature';

/** Prefixes that identify keys to owners and to secret scanners. */
export const KEY_PREFIX = { claim: 'hpo_', subscription: 'hps_', watch: 'hpw_' } as const;

/** A key of 256 bits, random unless they are derived from a payment. */
export function newKey(of: keyof typeof KEY_PREFIX, bits: Buffer = randomBytes(32)): string {
  return KEY_PREFIX[of] + bits.toString('base64url');
}

/** The stored form of a key: hex SHA-256. A key has 256 random bits, so a slow hash would not add security. */
export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Secrets of a watch that are shown once. */
export interface WatchSecrets {
  /** Manages the watch. */
  readonly key: string;
  /** Verifies its alerts. */
  readonly secret: string;
}

/**
 * The key of a subscription that a payment bought. The ledger stores answers and replays them for the same payment, but
 * it must not store keys, so the key is derived from the payment whenever the answer is released. Deriving it needs the
 * server's secret, because the payment itself is public on the chain.
 * @param paymentDigest SHA-256 of the signed payment, hex
 */
export function purchasedKey(serverSecret: string, paymentDigest: string): string {
  return newKey('subscription', made(serverSecret, `subscription ${paymentDigest}`));
}

/** The secrets of a watch that a payment bought, derived like {@link purchasedKey}. */
export function purchasedWatch(serverSecret: string, paymentDigest: string): WatchSecrets {
  return {
    key: newKey('watch', made(serverSecret, `watch key ${paymentDigest}`)),
    secret: WEBHOOK_SECRET_PREFIX + made(serverSecret, `watch secret ${paymentDigest}`).toString('base64'),
  };
}

function made(serverSecret: string, what: string): Buffer {
  return createHmac('sha256', serverSecret).update(what).digest();
}
