import { defined } from '@app/platform';
import { mediaType, type Answer, type ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import type { Reading } from '../evidence/reading';
import { duplicateMembers } from '../formats/duplicate-members';
import { isObject, type JsonValue } from '../formats/json';
import { findingsWhere, type Finding, type Judgement } from '../judgement/judgement';
import { exchangeOf, nothingFound } from '../judgement/nothing-found';
import { showsPrivateKey } from '../quoting/key-text';

/** The content of a path that should have a JSON document. */
export type Candidate =
  | { readonly kind: 'document'; readonly path: string; readonly answer: Answer; readonly value: JsonValue }
  /** The host's own content, but not a machine-readable document. */
  | { readonly kind: 'other'; readonly path: string; readonly answer: Answer; readonly note: string }
  | { readonly kind: 'nothing'; readonly path: string; readonly reading: Reading };

export type DocumentCandidate = Extract<Candidate, { kind: 'document' }>;

/**
 * The largest profile or card that is read, in bytes: documented ones are under 5 KB, and UCP requires a
 * limit of at least 128 KiB.
 */
const DOCUMENT_BYTES = 262_144;

const HTML_NOTE = 'html_not_machine_document';

/** Why the content of such a path is not used, as sentence parts that follow the path. */
export const DOCUMENT_PROBLEMS: Readonly<Record<string, string>> = {
  html_not_machine_document: 'answered with an HTML page.',
  empty_body: 'answered with an empty body.',
  not_json: 'answered with text that is not valid JSON.',
  not_an_object: 'answered with JSON that is not an object.',
};

/** The request for such a document. */
export function documentRequest(url: string): ProbeRequest {
  return { method: 'GET', url, accept: 'application/json, */*;q=0.1', maxBytes: DOCUMENT_BYTES };
}

/**
 * Reads a candidate path. HTML that the host also shows for nonexistent paths counts as nothing; other HTML counts as a
 * faulty document.
 */
export function candidateAt(seen: HostEvidence, path: string): Candidate {
  const reading = seen.read(path);
  if (reading.kind === 'json') return { kind: 'document', path, answer: reading.answer, value: reading.value };
  const body = reading.kind === 'html' && reading.catchAll ? undefined : unreadable(reading);
  return body ? { kind: 'other', path, ...body } : { kind: 'nothing', path, reading };
}

/** A body that is not the expected JSON object, and why (`details.note`). */
export function unreadable(reading: Reading): { readonly note: string; readonly answer: Answer } | undefined {
  switch (reading.kind) {
    case 'json':
      return isObject(reading.value) ? undefined : { note: 'not_an_object', answer: reading.answer };
    case 'broken_json':
      return { note: 'not_json', answer: reading.answer };
    case 'text':
      return { note: 'not_json', answer: reading.answer };
    case 'empty':
      return { note: 'empty_body', answer: reading.answer };
    case 'html':
      return { note: HTML_NOTE, answer: reading.answer };
    default:
      return undefined;
  }
}

/** The document to evaluate: the first one without an essential fault, otherwise the first. */
export function documentToJudge(
  candidates: readonly Candidate[],
  faultOf: (document: DocumentCandidate) => string | undefined,
): DocumentCandidate | undefined {
  const documents = candidates.filter((candidate) => candidate.kind === 'document');
  return documents.find((document) => faultOf(document) === undefined) ?? documents[0];
}

/**
 * A document with a registered path and an alternative path that other clients use; it is requested if the first
 * path has no usable document.
 */
export function documentPair(path: string, fallback: string, { optional }: Pick<ProbeRequest, 'optional'> = {}) {
  return {
    candidates: (seen: HostEvidence): readonly Candidate[] => [candidateAt(seen, path), candidateAt(seen, fallback)],
    followUps: (seen: HostEvidence): readonly ProbeRequest[] =>
      leadsOn(candidateAt(seen, path)) ? [{ ...documentRequest(fallback), ...defined({ optional }) }] : [],
  };
}

/** Whether the next candidate path should be requested: not if this one was good, and not if the host refused it. */
function leadsOn(candidate: Candidate): boolean {
  if (candidate.kind === 'document') return false;
  return candidate.kind === 'other' || !['blocked', 'payment_required', 'unasked'].includes(candidate.reading.kind);
}

/** The judgement without a JSON document: `partial` if a candidate had other content, otherwise nothing was found. */
export function noDocument(candidates: readonly Candidate[]): Judgement {
  const other = candidates.find((candidate) => candidate.kind === 'other');
  if (other?.kind === 'other') {
    const { note, path, answer } = other;
    const leak = showsPrivateKey(answer.body);
    return {
      status: 'partial',
      details: { note, path },
      decidedBy: askedOf(candidates),
      findings: findingsWhere([[leak, 'private_key_leaked', path]]),
      withholdExcerpts: leak,
    };
  }
  const readings = candidates.flatMap((candidate) => (candidate.kind === 'nothing' ? [candidate.reading] : []));
  const shell = readings.some((reading) => reading.kind === 'html');
  return nothingFound(readings, shell ? { note: HTML_NOTE, catchAll: true } : {});
}

/** The exchanges of all requested candidates, in order: the evidence of a status that depends on several paths. */
export function askedOf(candidates: readonly Candidate[]): Judgement['decidedBy'] {
  return candidates
    .map((candidate) => (candidate.kind === 'nothing' ? exchangeOf(candidate.reading) : candidate.answer))
    .filter((exchange) => exchange !== undefined);
}

/** Faults in serving and formatting a JSON document, for every protocol. */
export function servingFindings(candidate: DocumentCandidate): readonly Finding[] {
  const { answer, path } = candidate;
  const type = mediaType(answer);
  return [
    ...findingsWhere([
      [!/[/+]json$/.test(type), 'content_type_not_json', 'content-type'],
      [answer.body.startsWith('\uFEFF'), 'byte_order_mark', path],
      [answer.body.includes('\uFFFD'), 'invalid_utf8', path],
    ]),
    ...duplicateMembers(answer.body).map((at) => ({ id: 'duplicate_keys', at })),
  ];
}
