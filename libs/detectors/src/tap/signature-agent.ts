import { defined } from '@app/objects';
import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';

/** Members of a Signature Agent Card that a report shows, by their names there. */
const OWN = { clientId: 'client_id', name: 'client_name', uri: 'client_uri', jwksUri: 'jwks_uri' } as const;
const BEHAVIOUR = {
  userAgent: 'expected-user-agent',
  productToken: 'rfc9309-product-token',
  trigger: 'trigger',
  purpose: 'purpose',
  rateExpectation: 'rate-expectation',
  ipsUri: 'ips_uri',
} as const;
const MAX_CONTACTS = 5;

/**
 * Who an agent says it is (draft-meunier-webbotauth-registry-04, Signature Agent Card), when a document is such a card.
 * It has no path of its own; some hosts serve it in place of their keys.
 */
export function signatureAgentOf(document: JsonValue): JsonObject | undefined {
  const behaviour = member(document, 'web_bot_auth');
  if (!isObject(behaviour)) return undefined;
  const contacts = list(member(document, 'contacts'))
    ?.slice(0, MAX_CONTACTS)
    .flatMap((one) => text(one) ?? []);
  return defined({ ...textsOf(document, OWN), contacts, ...textsOf(behaviour, BEHAVIOUR) });
}

function textsOf(value: JsonValue, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(names).map(([shown, name]) => [shown, text(member(value, name))]));
}
