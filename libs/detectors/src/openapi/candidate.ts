import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import { saidJson, tooLarge, type Reading, type SaidJson } from '../evidence/reading';
import type { JsonValue } from '../formats/json';
import { readCutYaml, readYaml } from '../formats/yaml';
import { claimsOpenapi, describe, type Description } from './description';

/** An answer that may be an API description. */
export type Candidate =
  | (SaidJson & {
      readonly kind: 'description';
      readonly format: 'json' | 'yaml';
      readonly description: Description;
    })
  /** A page or a body that is not a readable description. */
  | {
      readonly kind: 'unreadable';
      readonly answer: Answer;
      readonly note: string;
      readonly catchAll: boolean;
      /** Its text states an OpenAPI version, so it was meant as a description at any path. */
      readonly claims: boolean;
    }
  /** Nothing, or not readable for the probe. */
  | { readonly kind: 'nothing'; readonly reading: Reading };

/** An API description, possibly with faults. */
export type Described = Extract<Candidate, { kind: 'description' }>;

/** Reads the answer at `url` as an API description in JSON or YAML; the content type does not matter. */
export function candidateAt(url: string, seen: HostEvidence): Candidate {
  return candidateIn(seen.read(url));
}

/** Parsing a large description takes long, and every wave of a probe needs it. */
const candidateIn = onceEach((reading: Reading): Candidate => {
  switch (reading.kind) {
    case 'json':
      return described(reading.answer, 'json', reading.value);
    case 'broken_json':
      // YAML may start with a brace.
      return yaml(reading.answer, 'not_json');
    case 'text':
      return reading.answer.truncated ? cutYaml(reading.answer) : yaml(reading.answer, 'not_yaml');
    case 'blocked':
      return cutJson(reading);
    case 'html':
      return { ...unreadable(reading.answer, 'html_not_machine_document'), catchAll: reading.catchAll };
    case 'empty':
      return unreadable(reading.answer, 'empty_body');
    default:
      return { kind: 'nothing', reading };
  }
});

function yaml(answer: Answer, note: 'not_json' | 'not_yaml'): Candidate {
  const parsed = readYaml(answer.body);
  if (parsed.ok) {
    return claimsOpenapi(parsed.value)
      ? described(answer, 'yaml', parsed.value)
      : unreadable(answer, note === 'not_json' ? note : 'no_openapi_member');
  }
  const claims = /^[{ \t]{0,20}(["']?)(?:openapi|swagger)\1[ \t]{0,10}:/m.test(answer.body);
  if (parsed.reason === 'too_large' && claims) return { kind: 'nothing', reading: tooLarge(answer) };
  return { ...unreadable(answer, note), claims };
}

/**
 * The part of a truncated description counts if it is valid by itself; otherwise the host may have published enough.
 */
function cutJson(reading: Reading): Candidate {
  const said = saidJson(reading);
  return said && describe(said.value).fault === undefined
    ? described(said.answer, 'json', said.value)
    : { kind: 'nothing', reading };
}

function cutYaml(answer: Answer): Candidate {
  const value = readCutYaml(answer.body);
  return value !== undefined && describe(value).fault === undefined
    ? described(answer, 'yaml', value)
    : { kind: 'nothing', reading: tooLarge(answer) };
}

function described(answer: Answer, format: 'json' | 'yaml', value: JsonValue): Described {
  const { truncated } = answer;
  return { kind: 'description', answer, format, value, description: describe(value), truncated };
}

function unreadable(answer: Answer, note: string): Extract<Candidate, { kind: 'unreadable' }> {
  return { kind: 'unreadable', answer, note, catchAll: false, claims: false };
}
