import type { Answer } from '../exchange';
import type { HostEvidence } from '../host-evidence';
import type { JsonValue } from '../json';
import type { Reading } from '../reading';
import { claimsOpenapi, describe, type Description } from './description';
import { jsonOutline } from './json-outline';
import { yamlOutline } from './yaml-outline';
import { readYaml } from './yaml-reading';

/** One answer that may be an API description. */
export type Candidate =
  | {
      readonly kind: 'description';
      readonly answer: Answer;
      readonly format: 'json' | 'yaml';
      readonly description: Description;
      /** Judged by its upper levels: the body was cut, or is too large to parse in full. */
      readonly truncated: boolean;
    }
  /** A page or a body in which nothing of a description can be read. */
  | {
      readonly kind: 'unreadable';
      readonly answer: Answer;
      readonly note: string;
      readonly catchAll: boolean;
      /** Its lines name an OpenAPI version all the same, so it was meant as a description wherever it stands. */
      readonly claims: boolean;
    }
  /** Nothing, or nothing we were allowed to see. */
  | { readonly kind: 'nothing'; readonly reading: Reading };

/** Reads the answer at `url` as an API description in JSON or YAML; the content type decides nothing. */
export function candidateAt(url: string, seen: HostEvidence): Candidate {
  const reading = seen.read(url);
  switch (reading.kind) {
    case 'json':
      return described(reading.answer, 'json', reading.value, false);
    case 'broken_json':
      return reading.fault === 'not_json' ? unreadable(reading.answer, 'not_json') : outlined(reading.answer, reading);
    case 'blocked':
      return reading.reason === 'too_large' && reading.exchange.kind === 'answer'
        ? outlined(reading.exchange, reading)
        : { kind: 'nothing', reading };
    case 'text':
      return yaml(reading.answer);
    case 'html':
      return { ...unreadable(reading.answer, 'html_not_machine_document'), catchAll: reading.habitual };
    case 'empty':
      return unreadable(reading.answer, 'empty_body');
    default:
      return { kind: 'nothing', reading };
  }
}

/** JSON too large to parse or cut: its upper levels count when they already make a description (contract 8). */
function outlined(answer: Answer, reading: Reading): Candidate {
  const outline = jsonOutline(answer.body);
  if (outline !== undefined && describe(outline).fault === undefined) return described(answer, 'json', outline, true);
  if (reading.kind === 'broken_json') return unreadable(answer, reading.fault);
  return { kind: 'nothing', reading };
}

function yaml(answer: Answer): Candidate {
  const parsed = answer.truncated ? { ok: false as const, reason: 'too_large' as const } : readYaml(answer.body);
  if (parsed.ok) {
    return claimsOpenapi(parsed.value)
      ? described(answer, 'yaml', parsed.value, false)
      : unreadable(answer, 'no_openapi_member');
  }
  const outline = yamlOutline(answer.body);
  if (parsed.reason === 'not_yaml') return { ...unreadable(answer, 'not_yaml'), claims: claimsOpenapi(outline) };
  if (!answer.truncated || describe(outline).fault === undefined) return described(answer, 'yaml', outline, true);
  // Cut before it showed what it is: we saw too little, the host may have published enough.
  return { kind: 'nothing', reading: { kind: 'blocked', exchange: answer, reason: 'too_large', statusCode: 200 } };
}

function described(answer: Answer, format: 'json' | 'yaml', document: JsonValue, truncated: boolean): Candidate {
  return { kind: 'description', answer, format, description: describe(document), truncated };
}

function unreadable(answer: Answer, note: string): Extract<Candidate, { kind: 'unreadable' }> {
  return { kind: 'unreadable', answer, note, catchAll: false, claims: false };
}
