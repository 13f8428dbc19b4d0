import { createPublicKey, type KeyObject } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { leakedPrivateKey } from '../documents/private-key';
import { onceEach } from '../evidence/once-each';
import { fromBase64url, toBase64url } from '../formats/base64url';
import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { TEST_KEYS } from './test-keys';

/** The public key of a JSON Web Key (RFC 7517). */
export interface PublicKey {
  /** The HTTP signature algorithm for its type (RFC 9421 section 6.2.2). */
  readonly algorithm: KeyAlgorithm;
  /** RFC 7638, SHA-256. */
  readonly thumbprint: string;
  readonly key: KeyObject;
}

export type KeyAlgorithm = 'ed25519' | 'ecdsa-p256-sha256' | 'ecdsa-p384-sha384' | 'rsa-pss-sha512';

/**
 * The smallest and largest accepted RSA modulus, and the largest exponent, in bytes. Verification with larger ones
 * takes too long.
 */
const RSA = { modulus: [256, 1_024], exponent: 8 } as const;

interface Material {
  readonly algorithm: KeyAlgorithm;
  /** The fields of the thumbprint in lexicographic order (RFC 7638 section 3.2). */
  readonly jwk: Readonly<Record<string, string>>;
}

/** Parses a JWK; undefined if it is not a valid key of these types, for example a point off its curve. */
export const publicKeyOf = onceEach((value: JsonObject): PublicKey | undefined => {
  const { algorithm, jwk } = materialOf(value) ?? {};
  if (!algorithm || !jwk) return undefined;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return { algorithm, thumbprint: toBase64url(sha256(new TextEncoder().encode(JSON.stringify(jwk)))), key };
  } catch {
    return undefined;
  }
});

/** Whether anybody can sign with a key, because its private key is published with it or printed in a specification. */
export function isOpenKey(value: JsonValue, { thumbprint }: PublicKey): boolean {
  return leakedPrivateKey(value) !== undefined || TEST_KEYS.has(thumbprint);
}

/** Whether a key's `use` and `key_ops` allow signatures (RFC 7517 section 4). */
export function isForSigning(value: JsonObject): boolean {
  const [use, operations] = [member(value, 'use'), list(member(value, 'key_ops'))];
  const admits = operations?.some((one) => one === 'verify' || one === 'sign') ?? true;
  return (use === undefined || use === 'sig') && admits;
}

/** The keys of a JWK Set that are objects; undefined if the value is not a JWK Set. */
export function keysOfSet(value: JsonValue): readonly JsonObject[] | undefined {
  return list(member(value, 'keys'))?.filter(isObject);
}

function materialOf(value: JsonObject): Material | undefined {
  const { kty, crv, x, y, n, e } = Object.fromEntries(
    ['kty', 'crv', 'x', 'y', 'n', 'e'].map((name) => [name, text(member(value, name)) ?? '']),
  ) as Record<'kty' | 'crv' | 'x' | 'y' | 'n' | 'e', string>;
  if (kty === 'OKP' && crv === 'Ed25519' && isPoint(x, 32) && isEd25519(x))
    return { algorithm: 'ed25519', jwk: { crv, kty, x } };
  const size = crv === 'P-256' ? 32 : crv === 'P-384' ? 48 : 0;
  if (kty === 'EC' && size > 0 && isPoint(x, size) && isPoint(y, size)) {
    return { algorithm: size === 32 ? 'ecdsa-p256-sha256' : 'ecdsa-p384-sha384', jwk: { crv, kty, x, y } };
  }
  const isRsa = kty === 'RSA' && isModulus(n) && isExponent(e);
  return isRsa ? { algorithm: 'rsa-pss-sha512', jwk: { e, kty, n } } : undefined;
}

function isModulus(encoded: string): boolean {
  const bytes = bytesOf(encoded);
  const [least, most] = RSA.modulus;
  return bytes !== undefined && bytes.length >= least && bytes.length <= most && bytes[0] !== 0 && isOdd(bytes);
}

/** Odd and at least 3 (RFC 8017 section 3.1), because with the exponent 1 anybody can sign. */
function isExponent(encoded: string): boolean {
  const bytes = bytesOf(encoded);
  return (
    bytes !== undefined &&
    bytes.length <= RSA.exponent &&
    isOdd(bytes) &&
    bytes.some((byte, at) => byte > (at === bytes.length - 1 ? 1 : 0))
  );
}

function isOdd(bytes: Uint8Array): boolean {
  return (bytes.at(-1) ?? 0) % 2 === 1;
}

/** A coordinate of the right size. A repeated single byte is a template and not a key. */
function isPoint(encoded: string, size: number): boolean {
  const bytes = bytesOf(encoded);
  return bytes?.length === size && bytes.some((byte) => byte !== bytes[0]);
}

/**
 * Whether a point is on the curve and canonical (RFC 8032 section 5.1.3), which Node does not check. With a point of
 * small order as the key, anybody can sign.
 */
function isEd25519(encoded: string): boolean {
  try {
    return !ed25519.Point.fromBytes(bytesOf(encoded) ?? new Uint8Array()).isSmallOrder();
  } catch {
    return false;
  }
}

function bytesOf(encoded: string): Uint8Array | undefined {
  return encoded.length > 4_096 ? undefined : fromBase64url(encoded);
}
