import { urlFaults } from '../documents/declared-url';
import type { ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { member, text, type JsonObject } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { isForSigning, isOpenKey, keysOfSet, publicKeyOf, type PublicKey } from '../keys/public-key';
import { jwsScheme, type SignatureScheme } from '../keys/signature-schemes';
import type { CardSignature } from './signature-header';

/** How many key sets are requested, and how many keys with the same id are tried. */
const MAX = { sets: 3, keys: 4 } as const;
const SET_BYTES = 65_536;

/** Why the key of a signature was not available; `unasked` if its set was not requested. */
export type NoKey =
  | 'no_jku'
  | 'jku_off_site'
  | 'jku_unreachable'
  | 'kid_missing'
  | 'kid_unknown'
  | 'key_not_secret' // anybody can sign with it
  | 'unasked';

/** Requests for the key sets of signatures: only on the host's site, without following redirects. */
export function keyRequests(signatures: readonly CardSignature[], seen: HostEvidence): readonly ProbeRequest[] {
  const sets = signatures.flatMap(({ jku }) => (jku !== undefined && isFollowed(jku, seen) ? [jku] : []));
  return [...new Set(sets)].slice(0, MAX.sets).map((url) => ({
    method: 'GET',
    url,
    accept: 'application/jwk-set+json, application/json;q=0.9, */*;q=0.1',
    maxBytes: SET_BYTES,
    redirects: 'manual',
  }));
}

/** The keys that may have made a signature: with its id, from its set, and suitable for its algorithm. */
export function keysFor(one: CardSignature, scheme: SignatureScheme, seen: HostEvidence): readonly PublicKey[] | NoKey {
  const set = keySet(one, seen);
  if (typeof set === 'string') return set;
  const named = set.filter((value) => member(value, 'kid') === one.kid && admits(value, one.alg, scheme));
  const fit = named.flatMap((value) => {
    const key = publicKeyOf(value);
    return key?.algorithm === scheme.key ? [{ key, open: isOpenKey(value, key) }] : [];
  });
  const keys = fit.flatMap(({ key, open }) => (open ? [] : [key])).slice(0, MAX.keys);
  if (keys.length > 0) return keys;
  return fit.length > 0 ? 'key_not_secret' : 'kid_unknown';
}

function keySet({ jku, kid }: CardSignature, seen: HostEvidence): readonly JsonObject[] | NoKey {
  if (jku === undefined) return 'no_jku';
  if (!isFollowed(jku, seen)) return isUsable(jku) ? 'jku_off_site' : 'jku_unreachable';
  if (kid === undefined) return 'kid_missing';
  const reading = seen.read(jku);
  if (reading.kind === 'unasked') return 'unasked';
  // Another detector may have requested the same URL and followed redirects.
  if (reading.kind !== 'json' || reading.answer.redirects.length > 0) return 'jku_unreachable';
  return keysOfSet(reading.value) ?? 'jku_unreachable';
}

function isFollowed(jku: string, seen: HostEvidence): boolean {
  return isUsable(jku) && seen.sameSite(jku);
}

/** An absolute https URL on a public name and port 443, which the prober may request (behaviour 1.3). */
function isUsable(jku: string): boolean {
  return parseUrl(jku)?.port === '' && urlFaults(jku).every((fault) => fault === 'tunnel');
}

/** Whether a key's own fields allow the algorithm; Web Bot Auth uses other algorithm names. */
function admits(value: JsonObject, alg: string, scheme: SignatureScheme): boolean {
  const stated = text(member(value, 'alg')) ?? alg;
  return isForSigning(value) && (jwsScheme(stated) === scheme || stated === scheme.key);
}
