import { createHash, randomBytes } from 'node:crypto';

const KEY = /^hpo_[A-Za-z0-9_-]{43}$/;

/** A key of 256 random bits; its prefix tells it from the key of a subscription, to its owner and to secret scanners. */
export function newClaimKey(): string {
  return `hpo_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a key: hex SHA-256. Undefined for text that is no key. */
export function claimKeyHash(key: string): string | undefined {
  return KEY.test(key) ? createHash('sha256').update(key).digest('hex') : undefined;
}

/** What an owner publishes: 256 random bits in hex. It is public, and proves nothing for the key of another claim. */
export function newChallenge(): string {
  return randomBytes(32).toString('hex');
}
