import type { ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import type { Gain } from './gain';
import type { FixAdvice, Judgement } from './judgement';

/**
 * One protocol. Everything about it lives in one folder: what it requests, how it judges, what it advises.
 * All functions are pure and total: they see evidence only, never a socket or a clock, and never throw.
 */
export interface Detector<Id extends string = string> {
  readonly id: Id;
  /** What people call it: on a badge, and in full. */
  readonly name: { readonly short: string; readonly long: string };
  /** The protocol's specification, an https URL; becomes `spec` of its fixes. */
  readonly spec: string;
  /** What it judges by: the newest release of the specification that it knows, and the day it was last compared with that. */
  readonly rules: { readonly release: string; readonly checked: string };
  /** What publishing it changes for an agent. */
  readonly gain: Gain;
  /** Whether its maker has retired it: its fixes come last, and their `why` says so. */
  readonly retired?: true;
  /** Presence requests of the first wave. The same request declared by two detectors is sent once. */
  readonly probes: readonly ProbeRequest[];
  /** Further presence requests after the first answers (a fallback path, a linked document). Called up to twice. */
  readonly followUps?: (seen: HostEvidence) => readonly ProbeRequest[];
  /** Callability requests: unpaid, harmless calls on what documents declare. Called while it adds some, at most 4 times. */
  readonly exercises?: (seen: HostEvidence) => readonly ProbeRequest[];
  readonly judge: (seen: HostEvidence) => Judgement;
  /** Advice for a judgement; none for a healthy protocol, and the runner drops `missing` unless the status is `absent`. */
  readonly advise: (judgement: Judgement, seen: HostEvidence) => readonly FixAdvice[];
}

/** The part of a detector that makes requests: enough to plan and collect evidence for another judge. */
export interface Inquiry extends Pick<Detector, 'probes' | 'followUps' | 'exercises'> {
  /** Requests of the phase `signals`. */
  readonly asksForSignals?: readonly ProbeRequest[];
}

/** Keeps the literal type of the id, from which `DetectorId` is derived. */
export function defineDetector<const Id extends string>(detector: Detector<Id>): Detector<Id> {
  return detector;
}
