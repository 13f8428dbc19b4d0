import type { CellStatus } from '@app/detectors';
import { EXIT, type ExitCode } from './exit-codes';

/** Ids of protocols that must be present; an empty gate is always met. */
export type Gate = readonly string[];

/** What the gate asks of a host: the verdict on one protocol, undefined when nobody looked. */
export type VerdictOf = (id: string) => CellStatus | undefined;

/** What became of one protocol of the gate. */
export interface GateFinding {
  readonly id: string;
  readonly verdict: 'met' | 'missed' | 'undecided';
  /** For a person, after the protocol's name. */
  readonly remark: string;
}

/**
 * Holds a host against a gate. A protocol that could not be looked at is undecided, never missing: "could not look" is
 * no proof of absence (spec 2.6).
 */
export function holdAgainst(gate: Gate, verdictOf: VerdictOf): readonly GateFinding[] {
  return gate.map((id) => {
    const status = verdictOf(id);
    if (status === 'present') return { id, verdict: 'met', remark: 'is present' };
    if (status === 'error') return { id, verdict: 'undecided', remark: 'could not be looked at' };
    if (status === undefined) return { id, verdict: 'undecided', remark: 'was never looked at' };
    return { id, verdict: 'missed', remark: `is ${status}` };
  });
}

/** A protocol that is known to be missing outweighs one that could not be looked at. */
export function exitOf(findings: readonly GateFinding[]): ExitCode {
  if (findings.some(({ verdict }) => verdict === 'missed')) return EXIT.gateFailed;
  return findings.some(({ verdict }) => verdict === 'undecided') ? EXIT.undecided : EXIT.done;
}
