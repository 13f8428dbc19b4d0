import type { Detector, Inquiry } from './judgement/detector';
import { isControl } from './evidence/control';
import type { HostEvidence } from './evidence/host-evidence';
import { judgeSignals, type Signal } from './signals/judge-signals';
import { missedBy, runDetector, type DetectorFailure, type Fix, type ProtocolCell } from './run-detector';

export interface HostJudgement {
  readonly cells: readonly ProtocolCell[];
  readonly fixes: readonly Fix[];
  readonly signals: readonly Signal[];
  /** Detectors that threw an error; the caller logs them. */
  readonly failures: readonly DetectorFailure[];
  /** The host was so slow that the essential documents of a report were not reached. */
  readonly tooSlow: boolean;
}

/** For how many protocols documents may be missing in a report that is sold. */
const MOST_UNREACHED = 3;

/** Evaluates stored or new evidence; the same evidence and detectors always give the same judgement. */
export function judgeHost(detectors: readonly Detector[], seen: HostEvidence): HostJudgement {
  const results = detectors.map((detector) => runDetector(detector, seen));
  const [only, ...others] = results;
  // For a probe of one protocol, its deciding routes count as well.
  const isOpen = others.length === 0 && only?.cell.status === 'error' && only.cell.details['reason'] === 'not_reached';
  return {
    cells: results.map(({ cell }) => cell),
    fixes: results.flatMap(({ fixes }) => fixes),
    signals: judgeSignals(seen),
    failures: results.flatMap(({ failure }) => failure ?? []),
    tooSlow: isOpen || isTooSlow(detectors, seen),
  };
}

/** Does not apply if the host ended the probe itself, with a bot wall or by accepting no connections. */
function isTooSlow(detectors: readonly Detector[], seen: HostEvidence): boolean {
  const unreached = (inquiry: Inquiry) => missedBy(inquiry, seen).some(({ reason }) => reason === 'not_reached');
  if (seen.missed('/')?.reason === 'not_reached') return true;
  if (seen.missed('/')) return false;
  const controls = seen.exchanges.filter(isControl);
  if (controls.every((control) => seen.readingOf(control).kind === 'unasked')) return true;
  return detectors.filter(unreached).length > Math.min(MOST_UNREACHED, Math.max(0, detectors.length - 1));
}
