import { isObject, jsonPath, member, ownValue, text, type JsonObject } from '../formats/json';
import { findingsWhere, type Finding } from '../judgement/judgement';
import { publicKeyOf } from '../keys/public-key';
import type { Profile } from './profile';

/** The public fields of each key type (RFC 7518 section 6, RFC 8037 section 2). */
const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
  RSA: ['n', 'e'],
};

/** How many keys are decoded; each takes a quarter of a millisecond. */
const MAX_DECODED = 100;

/**
 * The algorithm of each curve, in `keys` since 2026-08-25; other key types and curves are not restricted (profile
 * schema).
 */
const ALGORITHM_OF: Readonly<Record<string, string>> = { 'P-256': 'ES256', 'P-384': 'ES384', Ed25519: 'EdDSA' };

/** The curve of each algorithm, in `signing_keys` before that. */
const CURVE_OF: Readonly<Record<string, string>> = {
  ES256: 'P-256',
  ES384: 'P-384',
  ES512: 'P-521',
  EdDSA: 'Ed25519',
  Ed25519: 'Ed25519',
};

/**
 * Faults of the published signing keys. An unknown type or curve is not a fault: signatures with that key cannot be
 * verified, and verifiers must not reject the profile for it. Private fields are found in the whole document by
 * private-key.ts.
 */
export function keyFindings(profile: Profile): readonly Finding[] {
  const { keys, keysAt, root } = profile;
  const declared = member(root, keysAt);
  if (declared !== undefined && !Array.isArray(declared)) return [{ id: 'member_invalid', at: keysAt }];
  const kids = keys.map((key) => text(member(key, 'kid')));
  return keys.flatMap((key, i) => {
    const at = jsonPath(keysAt, i);
    if (!isObject(key)) return [{ id: 'member_invalid', at }];
    const repeated = kids[i] !== undefined && kids.indexOf(kids[i]) !== i;
    return [...findingsWhere([[repeated, 'duplicate_kid', at]]), ...keyFaults(key, at, keysAt), ...decoded(key, at, i)];
  });
}

function keyFaults(key: JsonObject, at: string, keysAt: string): readonly Finding[] {
  const kty = text(member(key, 'kty'));
  const needed = ['kid', 'kty', ...((kty === undefined ? undefined : ownValue(PUBLIC_MEMBERS, kty)) ?? [])];
  const lacking = needed.filter((name) => text(member(key, name)) === undefined);
  return [
    ...lacking.map((name) => ({ id: 'member_missing', at: jsonPath(at, name) })),
    ...['alg', 'use']
      .filter((name) => !['undefined', 'string'].includes(typeof member(key, name)))
      .map((name) => ({ id: 'member_invalid', at: jsonPath(at, name) })),
    ...findingsWhere([[isMismatch(key, keysAt), 'key_alg_mismatch', at]]),
  ];
}

function decoded(key: JsonObject, at: string, index: number): readonly Finding[] {
  const named = ownValue(ALGORITHM_OF, text(member(key, 'crv')) ?? '') !== undefined;
  const whole = ['kty', 'x'].every((name) => text(member(key, name)) !== undefined);
  return findingsWhere([[index < MAX_DECODED && named && whole && !publicKeyOf(key), 'key_undecodable', at]]);
}

function isMismatch(key: JsonObject, keysAt: string): boolean {
  const [alg, crv] = [text(member(key, 'alg')), text(member(key, 'crv'))];
  if (alg === undefined || crv === undefined) return false;
  const [expected, stated] = keysAt === 'keys' ? [ownValue(ALGORITHM_OF, crv), alg] : [ownValue(CURVE_OF, alg), crv];
  return expected !== undefined && expected !== stated;
}
