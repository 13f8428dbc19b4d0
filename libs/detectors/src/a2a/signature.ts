import { list, member, readJson, text, type JsonObject } from '../json';
import { parseUrl } from '../parse-url';
import type { AgentCard } from './card';

/** Protected headers are small; a longer one is not worth decoding. */
const MAX_HEADER = 4_096;

/**
 * What a card says about its first JWS signature (A2A 1.0 section 8.4). It is reported, not verified: the payload rules
 * drop default values, and genuine cards fail them.
 */
export function signatureDetails({ members }: AgentCard): JsonObject {
  const signatures = list(member(members, 'signatures')) ?? [];
  const encoded = text(member(signatures[0], 'protected'));
  if (encoded === undefined) return { signed: false };
  const header = protectedHeader(encoded);
  const jku = text(member(header, 'jku'));
  return {
    signed: true,
    signature: {
      verified: false,
      alg: text(member(header, 'alg')) ?? null,
      kid: text(member(header, 'kid')) ?? null,
      jkuHost: (jku === undefined ? undefined : parseUrl(jku)?.hostname) ?? null,
    },
  };
}

function protectedHeader(encoded: string): JsonObject {
  if (encoded.length > MAX_HEADER || !/^[A-Za-z0-9_-]+$/.test(encoded)) return {};
  const reading = readJson(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')));
  return reading.ok ? (reading.value as JsonObject) : {};
}
