import { createHash, createHmac, randomBytes } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from './signature';

const PREFIX = 'hpw_';
const KEY = /^hpw_[A-Za-z0-9_-]{43}$/;

/** What one payment buys: so many days, and so many alerts. */
export const BOUGHT_WATCH = { days: 30, alerts: 100 } as const;

/** What is shown once of a watch. */
export interface WatchSecrets {
  /** Manages the watch. */
  readonly key: string;
  /** Verifies its alerts. */
  readonly secret: string;
}

/** A key of 256 random bits; its prefix tells it from other keys, to its owner and to secret scanners. */
export function newWatchKey(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** What is stored of a key: hex SHA-256. Undefined for text that is no key. */
export function watchKeyHash(key: string): string | undefined {
  return KEY.test(key) ? createHash('sha256').update(key).digest('hex') : undefined;
}

/**
 * What a payment bought. The ledger stores answers and sends them again for the same payment, and neither of the two may be
 * stored: so both are made again from the payment whenever the answer is released. Only the secret of the server makes them.
 * @param paymentDigest SHA-256 of the signed payment, hex
 */
export function purchasedWatch(serverSecret: string, paymentDigest: string): WatchSecrets {
  const made = (what: string): Buffer =>
    createHmac('sha256', serverSecret).update(`watch ${what} ${paymentDigest}`).digest();
  return {
    key: PREFIX + made('key').toString('base64url'),
    secret: WEBHOOK_SECRET_PREFIX + made('secret').toString('base64'),
  };
}
