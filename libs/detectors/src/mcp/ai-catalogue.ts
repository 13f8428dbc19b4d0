import { isObject, list, member, text, type JsonValue } from '../json';

/** One MCP server of an AI catalogue: a card to fetch, or the card itself. */
export type CatalogueEntry =
  { readonly kind: 'link'; readonly url: string } | { readonly kind: 'inline'; readonly card: JsonValue };

/** Media type of an MCP entry; the member was called `mediaType` in April 2026 and `type` since July 2026. */
const CARD_TYPE = 'application/mcp-server-card+json';

/**
 * The MCP servers of `/.well-known/ai-catalog.json`
 * (https://github.com/modelcontextprotocol/experimental-ext-server-card/blob/main/docs/discovery.md); undefined when
 * the document is not such a catalogue. An empty list is a good catalogue of other things.
 */
export function readCatalogue(document: JsonValue): readonly CatalogueEntry[] | undefined {
  const entries = list(member(document, 'entries'));
  if (entries === undefined || text(member(document, 'specVersion')) === undefined) return undefined;
  return entries.flatMap((entry): readonly CatalogueEntry[] => {
    const type = text(member(entry, 'type')) ?? text(member(entry, 'mediaType'));
    if (type?.split(';', 1)[0]?.trim().toLowerCase() !== CARD_TYPE) return [];
    const card = member(entry, 'data');
    if (isObject(card)) return [{ kind: 'inline', card }];
    const url = text(member(entry, 'url'));
    return url === undefined ? [] : [{ kind: 'link', url }];
  });
}
