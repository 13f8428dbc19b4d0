import { list, member, text, type JsonValue } from '../formats/json';
import { jsonSignal } from './documents';
import type { SignalDefinition } from './signal';

const PATH = '/.well-known/agent-descriptions';

/** Agent Network Protocol: descriptions of the agents of a domain, https://agent-network-protocol.com/. */
export const anp: SignalDefinition = {
  id: 'anp',
  requests: [{ method: 'GET', url: PATH, accept: 'application/json, application/ld+json;q=0.9' }],
  judge: (seen) =>
    jsonSignal(seen, PATH, (value) => {
      const items = list(member(value, 'items'));
      const valid = member(value, '@type') === 'CollectionPage' && items?.every(isAgent);
      return valid ? { status: 'valid', note: `agents: ${items?.length ?? 0}` } : { status: 'faulty' };
    }),
};

function isAgent(item: JsonValue): boolean {
  return member(item, '@type') === 'ad:AgentDescription' && text(member(item, '@id')) !== undefined;
}
