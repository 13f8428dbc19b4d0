import type { Finding, Judgement } from './detector';
import { duplicateMembers } from './duplicate-members';
import { mediaType, type Answer, type ProbeRequest } from './exchange';
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
const DOCUMENT_BYTES = 262_144;

const HTML_NOTE = 'html_not_machine_document';

/** What stands at such a path and is no JSON object, or is not taken from there, in words that follow the path. */
export const DOCUMENT_PROBLEMS: Readonly<Record<string, string>> = {
  html_not_machine_document: 'answered with an HTML page.',
  empty_body: 'answered with an empty body.',
  not_json: 'answered with text that is not valid JSON.',
  json_too_deep: 'answered with JSON nested deeper than agents read.',
  json_too_large: 'answered with JSON of more values than agents read.',
  not_an_object: 'answered with JSON that is not an object.',
  not_https: 'is served over plain http.',
};

/** The request for such a document. */
export function documentRequest(url: string): ProbeRequest {
  return { method: 'GET', url, accept: 'application/json, */*;q=0.1', maxBytes: DOCUMENT_BYTES };
}

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

/** The document to judge: the first without a load-bearing fault, otherwise the first. */
export function documentToJudge(
  candidates: readonly Candidate[],
  faultOf: (document: DocumentCandidate) => string | undefined,
): DocumentCandidate | undefined {
  const documents = candidates.filter((candidate) => candidate.kind === 'document');
  return documents.find((document) => faultOf(document) === undefined) ?? documents[0];
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
