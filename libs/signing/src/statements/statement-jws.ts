import { createHash, createPublicKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';

/** The type of a JWS of this service. Verifiers reject other types before reading on (RFC 8725 section 3.11). */
export type StatementType = 'hostprobe-report+jwt';

/** A signing key: the private key and its id. */
export interface ReportKey {
  readonly kid: string;
  readonly key: KeyObject;
}

/** The public half of an Ed25519 key, as a JWK (RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}

export function publicJwkOf(key: KeyObject): PublicJwk {
  const { x = '' }: JsonWebKey = createPublicKey(key).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x };
}

/** RFC 7638 thumbprint, base64url. */
export function thumbprintOf({ crv, kty, x }: PublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}

/**
 * A compact JWS of the claims (RFC 7515). Ed25519 uses no random numbers, so the same claims give the same text in
 * every process.
 */
export function signJws(claims: object, typ: StatementType, { kid, key }: ReportKey): string {
  const signed = [{ alg: 'EdDSA', typ, kid }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return `${signed.join('.')}.${sign(null, Buffer.from(signed.join('.')), key).toString('base64url')}`;
}
