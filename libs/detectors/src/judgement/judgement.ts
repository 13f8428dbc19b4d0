import type { Exchange } from '../evidence/exchange';
import { text, type JsonObject } from '../formats/json';

/** Behaviour 4.1. */
export type CellStatus = 'absent' | 'present' | 'partial' | 'undiscoverable' | 'error';

/** A fault that does not change the status, named from a closed vocabulary, with the place it was seen. */
export interface Finding {
  /** Stable snake_case, for example `endpoint_not_https`. */
  readonly id: string;
  /** Where: a URL, a JSON path or a header name. */
  readonly at?: string;
  /** The other one of two sources that say different things: a URL. */
  readonly with?: string;
}

/** The findings that hold, in their order: each row says whether, which, and where. */
export function findingsWhere(
  rows: readonly (readonly [holds: boolean, id: string, at: string])[],
): readonly Finding[] {
  return rows.flatMap(([holds, id, at]) => (holds ? [{ id, at }] : []));
}

/** Each finding once at each place. */
export function distinctFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.id} ${finding.at ?? ''}`, finding])).values()];
}

/** What a detector concludes. `decidedBy` are the exchanges that prove it, also for `absent`. */
export interface Judgement {
  readonly status: CellStatus;
  /** The version the document states, or null when it states none. */
  readonly version?: string | null;
  /**
   * Keys of behaviour 4.1 and the protocol's own extras; members that are undefined are left out of the report. The runner
   * adds `evidence` and `findings`.
   */
  readonly details?: JsonObject;
  readonly findings?: readonly Finding[];
  readonly decidedBy: readonly Exchange[];
  /** Set when a document leaks a private key: its text is kept out of the report. */
  readonly withholdExcerpts?: boolean;
}

/** A judgement with further findings. */
export function withFindings(judgement: Judgement, found: readonly Finding[]): Judgement {
  return { ...judgement, findings: [...(judgement.findings ?? []), ...found] };
}

/** A member of the details when it is a text, for the advice: `note`, `path`. */
export function detailOf({ details }: Judgement, name: string): string | undefined {
  return text(details?.[name]);
}

/** Advice for the owner of the host (behaviour 4.6): what to publish, where, and the smallest valid example. */
export interface FixAdvice {
  /** The part after the dot of the fix id: `missing`, `partial`, `html` or a finer word such as `redirect`. */
  readonly kind: string;
  /** What was not found, in one short sentence. */
  readonly problem: string;
  /** What to do about it. */
  readonly fix: string;
}
