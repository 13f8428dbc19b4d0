import { leakedPrivateKey } from '../documents/private-key';
import { isObject, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { isForSigning, publicKeyOf } from '../keys/public-key';
import { TEST_KEYS } from '../keys/test-keys';

/** A key of a signature directory at a point in time. */
export interface SigningKey {
  /** The HTTP signature algorithm of its type, or null for an unknown type. */
  readonly algorithm: string | null;
  /** It is a valid public key of the right size and meant for signing. */
  readonly usable: boolean;
  /** It is usable and within its validity period. */
  readonly active: boolean;
  /** Codes of its faults. */
  readonly faults: readonly string[];
  /** Whether `kid` is the RFC 7638 thumbprint; null without a `kid` or a valid key. */
  readonly kidIsThumbprint: boolean | null;
}

/**
 * Names in the IANA registry "HTTP Signature Algorithms" (RFC 9421 section 6.2.2); JOSE names such as EdDSA are not in
 * it.
 */
const HTTP_ALGORITHMS = [
  'ed25519',
  'ecdsa-p256-sha256',
  'ecdsa-p384-sha384',
  'rsa-pss-sha512',
  'rsa-v1_5-sha256',
  'hmac-sha256',
];

/** Larger values are in milliseconds: in seconds they would be after the year 5138. */
const MILLISECONDS = 100_000_000_000;

/**
 * Parses a JWK of a directory (https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/). `nowSec` is
 * the time of the probe, in seconds since 1970.
 */
export function readSigningKey(value: JsonValue, nowSec: number): SigningKey {
  if (!isObject(value)) return unusable(['key_not_an_object']);
  const leaked = leakedPrivateKey(value) !== undefined;
  const material = publicKeyOf(value);
  const [nbf, exp] = [timeOf(value, 'nbf'), timeOf(value, 'exp')];
  const kid = text(member(value, 'kid'));
  const print = material?.thumbprint;
  const kidIsThumbprint = kid === undefined || print === undefined ? null : kid === print;
  const published = print !== undefined && TEST_KEYS.has(print);
  const forSigning = isForSigning(value);
  const usable = material !== undefined && !leaked && !published && forSigning;
  const expired = exp.sec !== undefined && exp.sec <= nowSec;
  const early = nbf.sec !== undefined && nbf.sec > nowSec;
  const faults = [
    leaked ? 'private_key_exposed' : undefined,
    material ? undefined : 'key_undecodable',
    published ? 'test_key' : undefined,
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
