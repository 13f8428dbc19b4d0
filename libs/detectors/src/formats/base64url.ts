/** The bytes of unpadded base64url in its canonical spelling (RFC 7515 section 2); otherwise undefined. */
export function fromBase64url(encoded: string): Uint8Array | undefined {
  const bytes = /^[A-Za-z0-9_-]+$/.test(encoded) ? Buffer.from(encoded, 'base64url') : undefined;
  return bytes && toBase64url(bytes) === encoded ? bytes : undefined;
}

/** Unpadded base64url of bytes or of a UTF-8 text. */
export function toBase64url(bytes: Uint8Array | string): string {
  return Buffer.from(bytes as Uint8Array).toString('base64url');
}
