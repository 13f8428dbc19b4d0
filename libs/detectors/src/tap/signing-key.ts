import { sha256 } from '@noble/hashes/sha2.js';
import { isObject, member, text, type JsonObject, type JsonValue } from '../json';
import { leakedPrivateKey } from '../private-key';

/** One key of a signature directory, judged at a point in time. */
export interface SigningKey {
  /** Name of the HTTP signature algorithm its type implies, or null when the key is none we know. */
  readonly algorithm: string | null;
  /** Decodes to public key material of the right size and is meant for signing. */
  readonly usable: boolean;
  /** Usable and inside its time window. */
  readonly active: boolean;
  /** Codes of what is wrong or odd with it. */
  readonly faults: readonly string[];
  /** Whether `kid` is the RFC 7638 thumbprint; null without a `kid` or without key material. */
  readonly kidIsThumbprint: boolean | null;
}

/** Names of the IANA registry "HTTP Signature Algorithms" (RFC 9421 section 6.2.2); JOSE names such as EdDSA are not among them. */
const HTTP_ALGORITHMS = [
  'ed25519',
  'ecdsa-p256-sha256',
  'ecdsa-p384-sha384',
  'rsa-pss-sha512',
  'rsa-v1_5-sha256',
  'hmac-sha256',
];

/** Larger values are milliseconds: as seconds they lie beyond the year 5138. */
const MILLISECONDS = 100_000_000_000;

/** Smallest RSA modulus accepted, in octets. */
const RSA_MODULUS = 256;

interface Material {
  readonly algorithm: string;
  /** Members of the thumbprint in lexicographic order (RFC 7638 section 3.2). */
  readonly canonical: Readonly<Record<string, string>>;
}

/**
 * Reads a JWK of a directory (https://datatracker.ietf.org/doc/draft-meunier-webbotauth-httpsig-protocol/). `nowSec` is
 * the time of the look, in seconds since 1970.
 */
export function readSigningKey(value: JsonValue, nowSec: number): SigningKey {
  if (!isObject(value)) return unusable(['key_not_an_object']);
  const leaked = leakedPrivateKey(value) !== undefined;
  const material = materialOf(value);
  const [nbf, exp] = [timeOf(value, 'nbf'), timeOf(value, 'exp')];
  const kid = text(member(value, 'kid'));
  const kidIsThumbprint = kid === undefined || !material ? null : kid === thumbprint(material.canonical);
  const use = member(value, 'use');
  const forSigning = use === undefined || use === 'sig';
  const usable = material !== undefined && !leaked && forSigning;
  const expired = exp.sec !== undefined && exp.sec <= nowSec;
  const early = nbf.sec !== undefined && nbf.sec > nowSec;
  const faults = [
    leaked ? 'private_key_exposed' : undefined,
    material ? undefined : 'key_undecodable',
    forSigning ? undefined : 'key_not_for_signing',
    expired ? 'key_expired' : undefined,
    early ? 'key_not_yet_valid' : undefined,
    kidIsThumbprint === false ? 'kid_not_thumbprint' : undefined,
    ['undefined', 'string'].includes(typeof member(value, 'kid')) ? undefined : 'kid_not_a_string',
    algorithmFault(value),
    nbf.fault ?? exp.fault,
  ].filter((fault) => fault !== undefined);
  return {
    algorithm: material?.algorithm ?? null,
    usable,
    active: usable && !expired && !early,
    faults,
    kidIsThumbprint,
  };
}

function unusable(faults: readonly string[]): SigningKey {
  return { algorithm: null, usable: false, active: false, faults, kidIsThumbprint: null };
}

function materialOf(key: JsonObject): Material | undefined {
  const { kty, crv, x, y, n, e } = Object.fromEntries(
    ['kty', 'crv', 'x', 'y', 'n', 'e'].map((name) => [name, text(member(key, name)) ?? '']),
  ) as Record<'kty' | 'crv' | 'x' | 'y' | 'n' | 'e', string>;
  if (kty === 'OKP' && crv === 'Ed25519' && isPoint(x, 32)) {
    return { algorithm: 'ed25519', canonical: { crv, kty, x } };
  }
  const size = crv === 'P-256' ? 32 : crv === 'P-384' ? 48 : 0;
  if (kty === 'EC' && size > 0 && isPoint(x, size) && isPoint(y, size)) {
    return { algorithm: size === 32 ? 'ecdsa-p256-sha256' : 'ecdsa-p384-sha384', canonical: { crv, kty, x, y } };
  }
  const modulus = octets(n);
  if (kty === 'RSA' && octets(e) !== undefined && modulus && modulus.length >= RSA_MODULUS && (modulus[0] ?? 0) > 0) {
    return { algorithm: 'rsa-pss-sha512', canonical: { e, kty, n } };
  }
  return undefined;
}

/** A coordinate of the right size; one octet repeated is what a template holds, not a key. */
function isPoint(encoded: string, size: number): boolean {
  const bytes = octets(encoded);
  return bytes?.length === size && bytes.some((byte) => byte !== bytes[0]);
}

/** Octets of unpadded base64url (RFC 7515 section 2), or undefined. */
function octets(encoded: string): Uint8Array | undefined {
  if (encoded.length > 4_096 || encoded.length % 4 === 1 || !/^[A-Za-z0-9_-]+$/.test(encoded)) return undefined;
  return Uint8Array.from(atob(encoded.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
}

function thumbprint(canonical: Readonly<Record<string, string>>): string {
  const digest = sha256(new TextEncoder().encode(JSON.stringify(canonical)));
  return btoa(String.fromCharCode(...digest))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
}

function algorithmFault(key: JsonObject): string | undefined {
  const alg = member(key, 'alg');
  if (alg === undefined || HTTP_ALGORITHMS.includes(typeof alg === 'string' ? alg : '')) return undefined;
  return typeof alg === 'string' && /^(?:EdDSA|Ed25519|[ERP]S(?:256|384|512)|ES256K)$/.test(alg)
    ? 'alg_is_jose_name'
    : 'alg_unknown';
}

function timeOf(key: JsonObject, name: string): { readonly sec?: number; readonly fault?: string } {
  const value = member(key, name);
  if (value === undefined) return {};
  if (typeof value !== 'number' || !Number.isFinite(value)) return { fault: 'time_not_a_number' };
  return value > MILLISECONDS ? { sec: value / 1_000, fault: 'time_in_milliseconds' } : { sec: value };
}
