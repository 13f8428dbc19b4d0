import type { DnsQuestion } from '../evidence/dns';
import type { HostEvidence } from '../evidence/host-evidence';
import type { ProbeRequest } from '../evidence/exchange';

/** What a neighbour of the protocols says of a host. Never a cell, never payable (behaviour 4.11). */
export interface SignalState {
  /** `faulty`: something of it is there and breaks its rules. */
  readonly status: 'valid' | 'faulty' | 'absent';
  /** Where it was seen: a URL, or a DNS name with its type. */
  readonly at?: string;
  readonly note?: string;
}

/** One signal of `registry.ts`. All functions are pure and total. */
export interface SignalDefinition {
  readonly id: string;
  /** The text it is judged by may still change; the report says so. */
  readonly draft?: true;
  /** What no detector requests anyway; the budget of the phase `signals` is for all of them. */
  readonly requests?: readonly ProbeRequest[];
  /** What it asks of the domain name system; all signals together ask two questions. */
  readonly question?: (domain: string) => DnsQuestion;
  /** Undefined when it could not be seen. */
  readonly judge: (seen: HostEvidence) => SignalState | undefined;
}

export const ABSENT: SignalState = { status: 'absent' };
