import type { CellStatus } from '@app/detectors';
import { EXIT, type ExitCode } from './exit-codes';

/** Ids of protocols that must be present; an empty gate is always met. */
export type Gate = readonly string[];

/** Returns the status of a protocol at a host; undefined if it was never probed. */
export type StatusOf = (id: string) => CellStatus | undefined;

/** The result for one protocol of the gate. */
export interface GateFinding {
  readonly id: string;
  readonly outcome: 'met' | 'missed' | 'undecided';
  /** For people; it follows the protocol's name. */
  readonly remark: string;
}

/** Checks a host against a gate. A protocol that could not be checked is undecided, never missing (behaviour 5.2). */
export function holdAgainst(gate: Gate, statusOf: StatusOf): readonly GateFinding[] {
  return gate.map((id) => {
    const status = statusOf(id);
    if (status === 'present') return { id, outcome: 'met', remark: 'is present' };
    if (status === 'error') return { id, outcome: 'undecided', remark: 'could not be checked' };
    if (status === undefined) return { id, outcome: 'undecided', remark: 'has never been checked' };
    return { id, outcome: 'missed', remark: `is ${status}` };
  });
}

/** A missing protocol takes precedence over one that could not be checked. */
export function exitOf(findings: readonly GateFinding[]): ExitCode {
  if (findings.some(({ outcome }) => outcome === 'missed')) return EXIT.failed;
  return findings.some(({ outcome }) => outcome === 'undecided') ? EXIT.undecided : EXIT.done;
}
