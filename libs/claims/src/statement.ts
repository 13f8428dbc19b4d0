/** A statement is good for at most this long, in milliseconds. */
export const STATEMENT_MS = 600_000;

/** What a statement binds: the host, the claim and the service. */
export interface Stated {
  /** A-labels. */
  readonly domain: string;
  /** Hex SHA-256 of the key of the claim: the signature is of no use without that key. */
  readonly keyHash: string;
  /** Origin of this service. */
  readonly service: string;
  /** The challenge of the claim: random, and of no other claim. */
  readonly nonce: string;
}

/**
 * What a claimant signs: fixed lines, which are made here and never read, so that no other text is ever signed.
 * @param expires ISO 8601, as {@link isTimely} has it
 */
export function claimStatement({ domain, keyHash, service, nonce }: Stated, expires: string): string {
  return [
    'hostprobe claim of a host',
    `host: ${domain}`,
    `credential: sha256:${keyHash}`,
    `service: ${service}`,
    `nonce: ${nonce}`,
    `expires: ${expires}`,
  ].join('\n');
}

/** Whether a statement holds now: its time is written in the one way of `toISOString`, and not too far ahead. */
export function isTimely(expires: string, now: Date): boolean {
  const left = Date.parse(expires) - now.getTime();
  return left > 0 && left <= STATEMENT_MS && new Date(expires).toISOString() === expires;
}
