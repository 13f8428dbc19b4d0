import { duplicateMembers } from '../formats/duplicate-members';
import { fromBase64url } from '../formats/base64url';
import { isObject, member, readJson, text, type JsonObject, type JsonValue } from '../formats/json';

/** Headers and signatures are short; longer ones are not decoded. */
const MAX_ENCODED = 8_192;

/**
 * An entry of `signatures`: a JWS without its payload, which is the card (RFC 7515 section 7.2.1, A2A 1.0 section
 * 8.4.2).
 */
export interface CardSignature {
  /** As written, because it is signed together with the payload. */
  readonly protected: string;
  readonly bytes: Uint8Array;
  readonly alg: string;
  readonly kid: string | undefined;
  readonly jku: string | undefined;
  /** Whether it names extensions that a verifier must understand; none are defined for cards. */
  readonly critical: boolean;
}

/** Parses an entry; undefined if it is not a JWS. */
export function readSignature(entry: JsonValue): CardSignature | undefined {
  const [encoded, signature] = [text(member(entry, 'protected')), text(member(entry, 'signature'))];
  const header = encoded === undefined ? undefined : protectedHeader(encoded);
  const unprotected = member(entry, 'header') ?? {};
  const bytes = signature === undefined || signature.length > MAX_ENCODED ? undefined : fromBase64url(signature);
  if (encoded === undefined || !header || !bytes || !isObject(unprotected)) return undefined;
  // A parameter may only be in one of the two headers, and critical ones must be in the signed one (section 4.1.11).
  if (['alg', 'crit', ...Object.keys(header)].some((name) => Object.hasOwn(unprotected, name))) return undefined;
  const all = { ...unprotected, ...header };
  const alg = text(member(header, 'alg'));
  if (alg === undefined || !isTextOrMissing(all, 'kid') || !isTextOrMissing(all, 'jku')) return undefined;
  const [kid, jku] = [text(member(all, 'kid')), text(member(all, 'jku'))];
  return { protected: encoded, bytes, alg, kid, jku, critical: Object.hasOwn(header, 'crit') };
}

/** `none` and the symmetric algorithms, in any case: such a signature does not identify its signer. */
export function isRefusedAlgorithm(alg: string): boolean {
  return /^(?:none|hs\d+)$/i.test(alg.trim());
}

function protectedHeader(encoded: string): JsonObject | undefined {
  const bytes = encoded.length > MAX_ENCODED ? undefined : fromBase64url(encoded);
  const json = bytes && new TextDecoder().decode(bytes);
  const reading = json === undefined ? undefined : readJson(json);
  if (json === undefined || !reading?.ok || !isObject(reading.value)) return undefined;
  return duplicateMembers(json).length > 0 ? undefined : reading.value;
}

function isTextOrMissing(header: JsonObject, name: string): boolean {
  return member(header, name) === undefined || typeof member(header, name) === 'string';
}
