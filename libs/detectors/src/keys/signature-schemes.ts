import { ownValue } from '../formats/json';
import { constants, verify, type VerifyKeyObjectInput } from 'node:crypto';
import type { KeyAlgorithm, PublicKey } from './public-key';

/** How to verify signatures of an algorithm, and with which keys. */
export interface SignatureScheme {
  readonly key: KeyAlgorithm;
  /** Null if the algorithm does its own hashing. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null;
  readonly options?: Omit<VerifyKeyObjectInput, 'key'>;
}

const ED25519: SignatureScheme = { key: 'ed25519', hash: null };
const P256: SignatureScheme = { key: 'ecdsa-p256-sha256', hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } };
const P384: SignatureScheme = { key: 'ecdsa-p384-sha384', hash: 'sha384', options: { dsaEncoding: 'ieee-p1363' } };
const rsa = (hash: 'sha256' | 'sha384' | 'sha512', padding: 'PKCS1' | 'PSS'): SignatureScheme => ({
  key: 'rsa-pss-sha512',
  hash,
  options:
    padding === 'PKCS1'
      ? { padding: constants.RSA_PKCS1_PADDING }
      : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
});

/** Algorithms of JWS (RFC 7518 section 3.1, RFC 8037, RFC 9864). */
const JWS: Readonly<Record<string, SignatureScheme>> = {
  EdDSA: ED25519,
  Ed25519: ED25519,
  ES256: P256,
  ES384: P384,
  RS256: rsa('sha256', 'PKCS1'),
  RS384: rsa('sha384', 'PKCS1'),
  RS512: rsa('sha512', 'PKCS1'),
  PS256: rsa('sha256', 'PSS'),
  PS384: rsa('sha384', 'PSS'),
  PS512: rsa('sha512', 'PSS'),
};

/** Algorithms of HTTP message signatures, determined by the type of the key (RFC 9421 section 3.3). */
const HTTP: Readonly<Record<KeyAlgorithm, SignatureScheme>> = {
  ed25519: ED25519,
  'ecdsa-p256-sha256': P256,
  'ecdsa-p384-sha384': P384,
  // Existing libraries use other salt lengths than the 64 bytes of section 3.3.1.
  'rsa-pss-sha512': {
    ...rsa('sha512', 'PSS'),
    options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO },
  },
};

/** The scheme of a JWS `alg`; undefined if unknown. */
export function jwsScheme(alg: string): SignatureScheme | undefined {
  return ownValue(JWS, alg);
}

/** The scheme of HTTP message signatures for a key. */
export function httpScheme({ algorithm }: PublicKey): SignatureScheme {
  return HTTP[algorithm];
}

/** Whether a key, which must fit the scheme, made a signature. */
export function isSignedBy(
  { key }: PublicKey,
  scheme: SignatureScheme,
  { data, signature }: { readonly data: Uint8Array; readonly signature: Uint8Array },
): boolean {
  try {
    return verify(scheme.hash, data, { key, ...scheme.options }, signature);
  } catch {
    return false;
  }
}
