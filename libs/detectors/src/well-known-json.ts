import type { Finding, Judgement } from './detector';
import { duplicateMembers } from './duplicate-members';
import { mediaType, type Answer } from './exchange';
import type { HostEvidence } from './host-evidence';
import type { JsonValue } from './json';
import { showsPrivateKey } from './private-key';
import type { Reading } from './reading';
import { exchangeOf, nothingFound } from './verdict';

/** What stands at a path where a JSON document is due. */
export type Candidate =
  | { readonly kind: 'document'; readonly path: string; readonly answer: Answer; readonly value: JsonValue }
  /** The host answered with something of its own that is no machine document. */
  | { readonly kind: 'other'; readonly path: string; readonly answer: Answer; readonly note: string }
  | { readonly kind: 'nothing'; readonly path: string; readonly reading: Reading };

export type DocumentCandidate = Extract<Candidate, { kind: 'document' }>;

/** Largest profile or card worth reading, in octets: documented ones are under 5 KB, UCP asks for at least 128 KiB. */
export const DOCUMENT_BYTES = 262_144;

const HTML_NOTE = 'html_not_machine_document';

/** Reads a candidate path. HTML that the host also shows for nonsense is nothing; other HTML is a faulty publication. */
export function candidateAt(seen: HostEvidence, path: string): Candidate {
  const reading = seen.read(path);
  switch (reading.kind) {
    case 'json':
      return { kind: 'document', path, answer: reading.answer, value: reading.value };
    case 'broken_json':
      return { kind: 'other', path, answer: reading.answer, note: reading.fault };
    case 'text':
      return { kind: 'other', path, answer: reading.answer, note: 'not_json' };
    case 'empty':
      return { kind: 'other', path, answer: reading.answer, note: 'empty_body' };
    case 'html':
      return reading.habitual
        ? { kind: 'nothing', path, reading }
        : { kind: 'other', path, answer: reading.answer, note: HTML_NOTE };
    default:
      return { kind: 'nothing', path, reading };
  }
}

/** Whether the next candidate path is worth a request: not when this one was good, and not when the host turned us away. */
export function leadsOn(candidate: Candidate): boolean {
  if (candidate.kind === 'document') return false;
  return candidate.kind === 'other' || !['blocked', 'payment_required', 'unasked'].includes(candidate.reading.kind);
}

/** The verdict when no candidate was a JSON document: `partial` when one held something else, otherwise nothing found. */
export function noDocument(candidates: readonly Candidate[]): Judgement {
  const other = candidates.find((candidate) => candidate.kind === 'other');
  if (other?.kind === 'other') {
    const { note, path, answer } = other;
    const leak = showsPrivateKey(answer.body);
    return {
      status: 'partial',
      details: { note, path },
      decidedBy: askedOf(candidates),
      ...(leak ? { findings: [{ id: 'private_key_leaked', at: path }], withholdExcerpts: true } : {}),
    };
  }
  const readings = candidates.flatMap((candidate) => (candidate.kind === 'nothing' ? [candidate.reading] : []));
  const shell = readings.some((reading) => reading.kind === 'html');
  return nothingFound(readings, shell ? { note: HTML_NOTE, catchAll: true } : {});
}

/** The exchanges of all candidates that were asked, in order: the proof of a verdict about several paths. */
export function askedOf(candidates: readonly Candidate[]): Judgement['decidedBy'] {
  return candidates
    .map((candidate) => (candidate.kind === 'nothing' ? exchangeOf(candidate.reading) : candidate.answer))
    .filter((exchange) => exchange !== undefined);
}

/** Whether a document came over plain http at the end: agents of UCP and A2A must refuse it. */
export function isPlainHttp(answer: Answer): boolean {
  return answer.finalUrl.startsWith('http:');
}

/** Faults of how a JSON document is served and written that hold for every protocol. */
export function servingFindings(candidate: DocumentCandidate): readonly Finding[] {
  const { answer, path } = candidate;
  const type = mediaType(answer);
  return [
    ...(/[/+]json$/.test(type) ? [] : [{ id: 'content_type_not_json', at: 'content-type' }]),
    ...(answer.body.startsWith('\uFEFF') ? [{ id: 'byte_order_mark', at: path }] : []),
    ...(answer.body.includes('\uFFFD') ? [{ id: 'invalid_utf8', at: path }] : []),
    ...duplicateMembers(answer.body).map((at) => ({ id: 'duplicate_keys', at })),
  ];
}
