import { leakedPrivateKey } from '../documents/private-key';
import { isObject, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { isForSigning, publicKeyOf } from '../keys/public-key';
import { TEST_KEYS } from '../keys/test-keys';

/** One key of a signature directory, judged at a point in time. */
export interface SigningKey {
  /** Name of the HTTP signature algorithm its type implies, or null when the type is not known. */
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

/**
 * Reads a JWK of a directory (https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/). `nowSec` is
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
