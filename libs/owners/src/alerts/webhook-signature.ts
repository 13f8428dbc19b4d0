import { createHmac, randomBytes, sign, type KeyObject } from 'node:crypto';

/** Of secrets that receivers share with the service (Standard Webhooks 1.0.0). */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** A secret of 256 random bits in the form of Standard Webhooks 1.0.0. */
export function newWebhookSecret(): string {
  return WEBHOOK_SECRET_PREFIX + randomBytes(32).toString('base64');
}

/** One attempt to deliver a message. */
export interface SignedMessage {
  /** The same in each attempt, without a full stop. */
  readonly id: string;
  /** Seconds since 1970 of this attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Headers that a receiver checks a message by: HMAC-SHA-256 (`v1`) with each of its secrets, and Ed25519 (`v1a`) with the
 * key that the service publishes.
 */
export function webhookHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
  key: KeyObject,
): Readonly<Record<string, string>> {
  const content = `${id}.${timestamp}.${body}`;
  const shared = secrets.map((secret) => {
    const bytes = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`;
  });
  const own = `v1a,${sign(null, Buffer.from(content), key).toString('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': [...shared, own].join(' '),
  };
}
