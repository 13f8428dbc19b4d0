import type { Detector } from './detector';
import type { HostEvidence } from './host-evidence';
import { runDetector, type Fix, type ProtocolCell } from './run-detector';

export interface HostVerdicts {
  readonly cells: readonly ProtocolCell[];
  readonly fixes: readonly Fix[];
}

/** Judges stored or fresh evidence; the same evidence and detectors always give the same verdicts. */
export function judgeHost(detectors: readonly Detector[], seen: HostEvidence): HostVerdicts {
  const results = detectors.map((detector) => runDetector(detector, seen));
  return { cells: results.map((result) => result.cell), fixes: results.flatMap((result) => result.fixes) };
}
