import type { ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import type { Gain } from './gain';
import type { FixAdvice, Judgement } from './judgement';

/**
 * A protocol. Everything about it is in one folder: its requests, its evaluation, its fixes. All functions are pure and
 * total: they only see evidence, never a socket or a clock, and never throw.
 */
export interface Detector<Id extends string = string> {
  readonly id: Id;
  /** Its name: short for badges, and in full. */
  readonly name: { readonly short: string; readonly long: string };
  /** https URL of the specification, also used as `spec` of its fixes. */
  readonly spec: string;
  /** The newest known release of the specification, and the date of the last comparison with it. */
  readonly rules: { readonly release: string; readonly checked: string };
  /** The value of publishing it for agents. */
  readonly gain: Gain;
  /** Set if the protocol is retired: its fixes come last, and their `why` mentions it. */
  readonly retired?: true;
  /** Whether a host that publishes it sells something. */
  readonly sells?: true;
  /** Presence requests of the first wave. A request that several detectors declare is sent once. */
  readonly probes: readonly ProbeRequest[];
  /** Further presence requests after the first answers (an alternative path, a linked document). Called up to twice. */
  readonly followUps?: (seen: HostEvidence) => readonly ProbeRequest[];
  /**
   * Callability requests: unpaid, harmless calls of declared endpoints. Called as long as there are new ones, at most 4
   * times.
   */
  readonly exercises?: (seen: HostEvidence) => readonly ProbeRequest[];
  readonly judge: (seen: HostEvidence) => Judgement;
  /**
   * The fixes for a judgement; none for a healthy protocol. The runner drops `missing` unless the status is `absent`.
   */
  readonly advise: (judgement: Judgement, seen: HostEvidence) => readonly FixAdvice[];
}

/** The part of a detector that makes requests, enough for planning a probe. */
export interface Inquiry extends Pick<Detector, 'probes' | 'followUps' | 'exercises'> {
  /** Requests of the phase `signals`. */
  readonly asksForSignals?: readonly ProbeRequest[];
}

/** Keeps the literal type of the id, from which `DetectorId` is derived. */
export function defineDetector<const Id extends string>(detector: Detector<Id>): Detector<Id> {
  return detector;
}
