import type { DnsQuestion } from '../evidence/dns';
import type { HostEvidence } from '../evidence/host-evidence';
import type { ProbeRequest } from '../evidence/exchange';

/** A related standard that is not a protocol cell and never payable (behaviour 4.11). */
export interface SignalState {
  /** `faulty`: it exists but violates its rules. */
  readonly status: 'valid' | 'faulty' | 'absent';
  /** The source: a URL, or a DNS name with its record type. */
  readonly at?: string;
  readonly note?: string;
}

/** One signal of `registry.ts`. All functions are pure and total. */
export interface SignalDefinition {
  readonly id: string;
  /** Its specification may still change; the report mentions that. */
  readonly draft?: true;
  /** Requests that no detector makes anyway; all signals share the budget of the phase `signals`. */
  readonly requests?: readonly ProbeRequest[];
  /** Its DNS question; all signals together have two. */
  readonly question?: (domain: string) => DnsQuestion;
  /** Undefined if it could not be checked. */
  readonly judge: (seen: HostEvidence) => SignalState | undefined;
}

export const ABSENT: SignalState = { status: 'absent' };
