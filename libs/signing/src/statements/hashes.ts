import { createHash } from 'node:crypto';

/** SHA-256 of bytes, or of a text in UTF-8, in base64url as in statements. */
export function sha256Of(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Converts a hex hash to base64url, as in statements. */
export function shortHash(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

/** The 32 bytes of a SHA-256 in base64url or hex; undefined for any other text. */
export function readHash(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === 32 && bytes.toString('base64url') === text ? bytes : undefined;
}
