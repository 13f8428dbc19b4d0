import type { Finding } from '../detector';
import { isObject, member, text, type JsonObject } from '../json';
import { jsonPath } from '../json-path';
import type { Profile } from './profile';

/** Public members each key type needs (RFC 7518 section 6, RFC 8037 section 2). */
const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
  RSA: ['n', 'e'],
};

/** Curve each signature algorithm is for. */
const CURVE_OF: Readonly<Record<string, string>> = {
  ES256: 'P-256',
  ES384: 'P-384',
  ES512: 'P-521',
  EdDSA: 'Ed25519',
  Ed25519: 'Ed25519',
};

/** Curves admitted since 2026-08-25. */
const ADMITTED = ['P-256', 'P-384', 'Ed25519'];

/** Faults of the published signing keys. Leaked private members are found for the whole document in private-key.ts. */
export function keyFindings(profile: Profile): readonly Finding[] {
  const { keys, keysAt, root } = profile;
  const declared = member(root, keysAt);
  if (declared !== undefined && !Array.isArray(declared)) return [{ id: 'member_invalid', at: keysAt }];
  const strict = keysAt === 'keys';
  const kids = keys.map((key) => text(member(key, 'kid')));
  return keys.flatMap((key, i) => {
    const at = jsonPath(keysAt, i);
    if (!isObject(key)) return [{ id: 'member_invalid', at }];
    const repeated = kids[i] !== undefined && kids.indexOf(kids[i]) !== i;
    return [...(repeated ? [{ id: 'duplicate_kid', at }] : []), ...keyFaults(key, at, strict)];
  });
}

function keyFaults(key: JsonObject, at: string, strict: boolean): readonly Finding[] {
  const kty = text(member(key, 'kty'));
  const needed = ['kid', 'kty', ...((kty === undefined ? undefined : ownValue(PUBLIC_MEMBERS, kty)) ?? [])];
  const lacking = needed.filter((name) => text(member(key, name)) === undefined);
  const alg = text(member(key, 'alg'));
  const crv = text(member(key, 'crv'));
  const curve = alg === undefined ? undefined : ownValue(CURVE_OF, alg);
  return [
    ...lacking.map((name) => ({ id: 'member_missing', at: jsonPath(at, name) })),
    ...['alg', 'use']
      .filter((name) => !['undefined', 'string'].includes(typeof member(key, name)))
      .map((name) => ({ id: 'member_invalid', at: jsonPath(at, name) })),
    ...(curve !== undefined && crv !== undefined && curve !== crv ? [{ id: 'key_alg_mismatch', at }] : []),
    ...(strict && kty !== undefined && !ADMITTED.includes(crv ?? '') ? [{ id: 'key_type_not_admitted', at }] : []),
  ];
}

function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
