import type { Exchange } from '../evidence/exchange';
import { text, type JsonObject } from '../formats/json';

/** Behaviour 4.1. */
export type CellStatus = 'absent' | 'present' | 'partial' | 'undiscoverable' | 'error';

/** A fault that does not change the status, with an id from a closed list and its location. */
export interface Finding {
  /** A stable snake_case id, for example `endpoint_not_https`. */
  readonly id: string;
  /** The location: a URL, a JSON path or a header name. */
  readonly at?: string;
  /** The URL of the other source, if two sources contradict each other. */
  readonly with?: string;
}

/** The findings that apply, in order. Each row has the condition, the id and the location. */
export function findingsWhere(
  rows: readonly (readonly [holds: boolean, id: string, at: string])[],
): readonly Finding[] {
  return rows.flatMap(([holds, id, at]) => (holds ? [{ id, at }] : []));
}

/** Each finding once per location. */
export function distinctFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.id} ${finding.at ?? ''}`, finding])).values()];
}

/** The conclusion of a detector. `decidedBy` are the exchanges that prove it, even for `absent`. */
export interface Judgement {
  readonly status: CellStatus;
  /** The version stated in the document, or null. */
  readonly version?: string | null;
  /**
   * The keys of behaviour 4.1 and protocol-specific ones; undefined ones are left out. The runner adds `evidence` and
   * `findings`.
   */
  readonly details?: JsonObject;
  readonly findings?: readonly Finding[];
  readonly decidedBy: readonly Exchange[];
  /** Set if a document contains a private key: its text is then kept out of the report. */
  readonly withholdExcerpts?: boolean;
}

/** A judgement with additional findings. */
export function withFindings(judgement: Judgement, found: readonly Finding[]): Judgement {
  return { ...judgement, findings: [...(judgement.findings ?? []), ...found] };
}

/** A text in the details, for fixes: `note`, `path`. */
export function detailOf({ details }: Judgement, name: string): string | undefined {
  return text(details?.[name]);
}

/** Advice for the owner of the host (behaviour 4.6): what to publish, where, and a minimal valid example. */
export interface FixAdvice {
  /**
   * The part after the dot in the id of the fix: `missing`, `partial`, `html`, or a more specific one such as
   * `redirect`.
   */
  readonly kind: string;
  /** The problem in one short sentence. */
  readonly problem: string;
  /** What to do. `{host}` becomes the name of the host, `{reversed host}` the name with its labels reversed. */
  readonly fix: string;
}
