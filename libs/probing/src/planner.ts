import {
  HostEvidence,
  nextWave,
  type HostEvidenceInput,
  type Inquiry,
  type ProbePhase,
  type ProbeRequest,
} from '@app/detectors';

/**
 * Works out what to ask next from what is known. Reading a stranger's documents can take long, so whoever serves many
 * looks at once lets another thread do it.
 */
export type Planner = (phase: ProbePhase, known: HostEvidenceInput) => Promise<readonly ProbeRequest[]>;

/** A planner that reads on the spot. */
export function planOf(inquiries: readonly Inquiry[]): Planner {
  return (phase, known) => Promise.resolve(nextWave(inquiries, phase, new HostEvidence(known)));
}
