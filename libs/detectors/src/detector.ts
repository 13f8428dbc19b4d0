import type { Exchange, ProbeRequest } from './exchange';
import type { HostEvidence } from './host-evidence';
import type { JsonObject } from './json';

/** Spec 2.5. */
export type CellStatus = 'absent' | 'present' | 'partial' | 'undiscoverable' | 'error';

/** A fault that does not change the verdict, named from a closed vocabulary, with the place it was seen. */
export interface Finding {
  /** Stable snake_case, for example `endpoint_not_https`. */
  readonly id: string;
  /** Where: a URL, a JSON path or a header name. */
  readonly at?: string;
}

/** What a detector concludes. `decidedBy` are the exchanges that prove it, also for `absent`. */
export interface Judgement {
  readonly status: CellStatus;
  /** The version the document states, or null when it states none. */
  readonly version?: string | null;
  /** Keys of spec 2.5 and the protocol's own extras; the runner adds `evidence` and `findings`. */
  readonly details?: JsonObject;
  readonly findings?: readonly Finding[];
  readonly decidedBy: readonly Exchange[];
  /** Set when a document leaks a private key: its text is kept out of the report. */
  readonly withholdExcerpts?: boolean;
}

/** Advice for the owner of the host (spec 2.4, contract 3): what to publish, where, and the smallest valid example. */
export interface FixAdvice {
  /** The part after the dot of the fix id: `missing`, `partial`, `html` or a finer word such as `redirect`. */
  readonly kind: string;
  /** What was not found, in one short sentence. */
  readonly problem: string;
  /** What to do about it. */
  readonly fix: string;
}

/**
 * One protocol. Everything about it lives in one file: where to look, how to judge, what to advise.
 * All functions are pure and total: they see evidence only, never a socket or a clock, and never throw.
 */
export interface Detector<Id extends string = string> {
  readonly id: Id;
  /** What people call it: on a badge, and in full. */
  readonly name: { readonly short: string; readonly long: string };
  /** The protocol's specification, an https URL; becomes `spec` of its fixes. */
  readonly spec: string;
  /** Presence requests of the first wave. The same request declared by two detectors is sent once. */
  readonly probes: readonly ProbeRequest[];
  /** Further presence requests once the first answers are in (a fallback path, a linked document). Asked up to twice. */
  readonly followUps?: (seen: HostEvidence) => readonly ProbeRequest[];
  /** Callability requests: unpaid, harmless calls on what the documents declare. Asked until it adds nothing, up to four times. */
  readonly exercises?: (seen: HostEvidence) => readonly ProbeRequest[];
  readonly judge: (seen: HostEvidence) => Judgement;
  /** Advice for a judgement; none for a healthy protocol, and the runner drops `missing` unless the status is `absent`. */
  readonly advise: (judgement: Judgement, seen: HostEvidence) => readonly FixAdvice[];
}

/** The part of a detector that asks: enough to plan and collect evidence for a judge that is not a detector. */
export type Inquiry = Pick<Detector, 'probes' | 'followUps' | 'exercises'>;

/** Keeps the literal type of the id, from which `DetectorId` is derived. */
export function defineDetector<const Id extends string>(detector: Detector<Id>): Detector<Id> {
  return detector;
}
