import type { CellStatus } from '@app/detectors';
import { EXIT, type ExitCode } from './exit-codes';

/** Ids of protocols that must be present; an empty gate is always met. */
export type Gate = readonly string[];

/** What the gate asks of a host: the status of one protocol, undefined when it was never probed. */
export type StatusOf = (id: string) => CellStatus | undefined;

/** What became of one protocol of the gate. */
export interface GateFinding {
  readonly id: string;
  readonly outcome: 'met' | 'missed' | 'undecided';
  /** For a person, after the protocol's name. */
  readonly remark: string;
}

/**
 * Holds a host against a gate. A protocol that could not be probed is undecided, never missing: "could not check" is
 * not the same as absent (behaviour 5.2).
 */
export function holdAgainst(gate: Gate, statusOf: StatusOf): readonly GateFinding[] {
  return gate.map((id) => {
    const status = statusOf(id);
    if (status === 'present') return { id, outcome: 'met', remark: 'is present' };
    if (status === 'error') return { id, outcome: 'undecided', remark: 'could not be checked' };
    if (status === undefined) return { id, outcome: 'undecided', remark: 'has never been checked' };
    return { id, outcome: 'missed', remark: `is ${status}` };
  });
}

/** A protocol that is known to be missing outweighs one that could not be probed. */
export function exitOf(findings: readonly GateFinding[]): ExitCode {
  if (findings.some(({ outcome }) => outcome === 'missed')) return EXIT.failed;
  return findings.some(({ outcome }) => outcome === 'undecided') ? EXIT.undecided : EXIT.done;
}
