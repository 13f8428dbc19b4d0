import { createHmac, randomBytes, sign, type KeyObject } from 'node:crypto';

/** The prefix of secrets shared with receivers (Standard Webhooks 1.0.0). */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** A new secret of 256 random bits in the format of Standard Webhooks 1.0.0. */
export function newWebhookSecret(): string {
  return WEBHOOK_SECRET_PREFIX + randomBytes(32).toString('base64');
}

/** One attempt to deliver a message. */
export interface SignedMessage {
  /** The same in each attempt; must not contain a full stop. */
  readonly id: string;
  /** The time of this attempt, in seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers with which a receiver verifies a message: HMAC-SHA-256 (`v1`) with each of its secrets, and Ed25519
 * (`v1a`) with the published key.
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
