import { AI_CATALOGUE, ARD_PROBE } from '../documents/ard';
import { unreadable } from '../documents/well-known-json';
import type { HostEvidence } from '../evidence/host-evidence';
import { isUnseen } from '../evidence/reading';
import type { Judgement } from '../judgement/judgement';
import { exchangeOf, nothingFound } from '../judgement/nothing-found';
import { catalogue, CATALOGUE, catalogueEntries, PATHS } from './discovery';
import type { FoundDocument } from './host-server';

/** No endpoint: a document that names none, a catalogue of cards that cannot be read, a page, or nothing at all. */
export function judgeWithout(found: readonly FoundDocument[], seen: HostEvidence): Judgement {
  const document = found[0];
  if (document) return judgeIncomplete(document);
  const listing = catalogue(seen);
  const entries = catalogueEntries(seen).length;
  const path = listing && new URL(listing.answer.url).pathname;
  // The older names are MCP's own; an entry of an ARD manifest says nothing until its document is read.
  if (listing && path !== undefined && [AI_CATALOGUE, CATALOGUE].includes(path) && entries > 0) {
    const details = { note: 'card_unread', path, shape: 'ai_catalogue', serverCount: entries };
    return { status: 'partial', details, decidedBy: [listing.answer] };
  }
  const readings = PATHS.map((path) => seen.read(path));
  // When one path was refused, the page that the host shows for every path does not tell that the protocol is absent.
  const blocked = readings.some(isUnseen);
  for (const reading of readings) {
    const body = unreadable(reading);
    const note = body?.note ?? (reading.kind === 'json' ? 'no_mcp_member' : undefined);
    const exchange = exchangeOf(reading);
    if (note === undefined || exchange === undefined || (blocked && reading.kind === 'html' && reading.habitual))
      continue;
    // Behaviour 5.5: HTML here is partial, not absent, also on a host that shows one page for everything.
    const catchAll = reading.kind === 'html' && reading.habitual ? { catchAll: true } : {};
    const details = { note, path: new URL(exchange.url).pathname, ...catchAll };
    return { status: 'partial', details, decidedBy: [exchange] };
  }
  return nothingFound([...readings, ...[ARD_PROBE.url, AI_CATALOGUE, CATALOGUE].map((url) => seen.read(url))]);
}

function judgeIncomplete({ answer, document, unusable }: FoundDocument): Judgement {
  const details = {
    note: unusable ?? document.note ?? 'no_endpoint',
    name: document.name,
    keys: document.keys,
    path: new URL(answer.url).pathname,
    shape: document.shape,
    authRequired: document.authRequired,
  };
  const version = document.protocolVersions[0] ?? null;
  return { status: 'partial', version, details, findings: document.findings, decidedBy: [answer] };
}
