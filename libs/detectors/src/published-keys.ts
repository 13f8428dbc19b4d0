import { CARD_PATH } from './a2a/card';
import { readSignature } from './a2a/signature-header';
import type { Answer, Exchange } from './evidence/exchange';
import { isObject, list, member, readJson, type JsonValue } from './formats/json';
import { parseUrl } from './formats/parse-url';
import { readSigningKey } from './tap/signing-key';
import { PROFILE_PATH } from './ucp/profile';
import { publicKeyOf } from './keys/public-key';

/** Where hosts publish keys that they sign with: UCP profile, A2A card (by a set that it names), Web Bot Auth. */
export const KEY_DOCUMENTS = [PROFILE_PATH, CARD_PATH, '/.well-known/http-message-signatures-directory'] as const;

/** Characters of a document, and keys and sets of one, that are read. */
const MAX = { chars: 65_536, keys: 20, sets: 2 } as const;

/** Keys that a host signs with. */
export interface PublishedKeys {
  /** RFC 7638, SHA-256, each once. Keys that anybody can sign with are left out. */
  readonly thumbprints: readonly string[];
  /** Absolute URLs of sets that a card names. */
  readonly sets: readonly string[];
}

/** Reads the keys out of what a host answered. A redirect is none of its documents; never throws. */
export function publishedKeys(exchanges: readonly Exchange[]): PublishedKeys {
  const answers = exchanges.filter(isDocument);
  const cards = answers.filter(({ url }) => parseUrl(url)?.pathname === CARD_PATH);
  const sets = [...new Set(cards.flatMap(setsNamed))];
  const documents: readonly string[] = KEY_DOCUMENTS;
  const holding = answers.filter(({ url }) => sets.includes(url) || documents.includes(parseUrl(url)?.pathname ?? ''));
  return { thumbprints: [...new Set(holding.flatMap(keysIn))].toSorted(), sets };
}

function isDocument(exchange: Exchange): exchange is Answer {
  if (exchange.kind !== 'answer' || exchange.method !== 'GET' || exchange.status !== 200) return false;
  return exchange.redirects.length === 0 && !exchange.truncated && exchange.body.length <= MAX.chars;
}

function setsNamed({ body }: Answer): readonly string[] {
  const signatures = list(member(valueOf(body), 'signatures')) ?? [];
  return signatures.slice(0, MAX.sets).flatMap((one) => readSignature(one)?.jku ?? []);
}

function keysIn({ body, observedAt }: Answer): readonly string[] {
  // Most documents have no key, and are not read again for that.
  const document = /"(?:signing_)?keys"/.test(body) ? valueOf(body) : null;
  const keys = ['keys', 'signing_keys'].flatMap((name) => list(member(document, name)) ?? []).slice(0, MAX.keys);
  const nowSec = Date.parse(observedAt) / 1_000;
  return keys.filter(isObject).flatMap((key) => {
    const { active } = readSigningKey(key, nowSec);
    return (active && publicKeyOf(key)?.thumbprint) || [];
  });
}

function valueOf(body: string): JsonValue {
  const reading = readJson(body);
  return reading.ok ? reading.value : null;
}
