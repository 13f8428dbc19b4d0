import { createHash, createHmac, randomBytes } from 'node:crypto';

/** Makes a leaked key recognisable, to its owner and to secret scanners. */
const PREFIX = 'hps_';
const KEY = /^hps_[A-Za-z0-9_-]{43}$/;

/** A key of 256 random bits, for subscriptions the operator grants. */
export function randomKey(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/**
 * The key a payment bought. The ledger stores answers and sends them again for the same payment, and a key must not be
 * stored: so the stored answer is without it, and the key is made again from the payment whenever the answer is
 * released. Only the server's secret makes keys; what a payment consists of is public on the chain.
 * @param paymentDigest SHA-256 of the signed payment, hex
 */
export function purchasedKey(secret: string, paymentDigest: string): string {
  return PREFIX + createHmac('sha256', secret).update(`subscription ${paymentDigest}`).digest('base64url');
}

/**
 * What is stored of a key: hex SHA-256. A key has 256 bits of its own, so that a slow hash would protect nothing more.
 * Undefined for text that is no key.
 */
export function keyHash(key: string): string | undefined {
  return KEY.test(key) ? createHash('sha256').update(key).digest('hex') : undefined;
}
