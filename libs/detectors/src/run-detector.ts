import type { CellStatus, Detector, Judgement } from './detector';
import { evidenceOf } from './evidence-summary';
import type { HostEvidence } from './host-evidence';
import type { JsonObject } from './json';
import { tidy } from './tidy';

/** Spec 2.5 and contract 3. */
export interface ProtocolCell {
  readonly id: string;
  readonly status: CellStatus;
  readonly version: string | null;
  readonly details: JsonObject;
}

/** Spec 2.4. */
export interface Fix {
  readonly id: string;
  readonly protocol: string;
  readonly problem: string;
  readonly fix: string;
  readonly spec: string;
}

export interface DetectorResult {
  readonly cell: ProtocolCell;
  readonly fixes: readonly Fix[];
}

/**
 * Runs one detector. Owns what no detector may get wrong: evidence in every cell, quoted text made harmless, a bug in
 * a detector becoming an `error` of that cell alone, no fix for an `error`, and `.missing` only for `absent`.
 */
export function runDetector(detector: Detector, seen: HostEvidence): DetectorResult {
  let judgement: Judgement;
  try {
    judgement = detector.judge(seen);
  } catch {
    judgement = { status: 'error', details: { reason: 'detector_failed' }, decidedBy: [] };
  }
  const { status, version = null, details = {}, findings = [] } = judgement;
  const cell: ProtocolCell = {
    id: detector.id,
    status,
    version: version === null ? null : (tidy(version) as string),
    details: {
      ...(tidy(details) as JsonObject),
      ...(findings.length > 0 ? { findings: tidy(findings.map((f) => ({ ...f }))) } : {}),
      evidence: judgement.decidedBy.map((exchange) => evidenceOf(exchange, judgement.withholdExcerpts === true)),
    },
  };
  return { cell, fixes: status === 'error' ? [] : adviceOf(detector, judgement, seen) };
}

function adviceOf(detector: Detector, judgement: Judgement, seen: HostEvidence): readonly Fix[] {
  return detector
    .advise(judgement, seen)
    .filter((advice) => advice.kind !== 'missing' || judgement.status === 'absent')
    .map(({ kind, problem, fix }) => ({
      id: `${detector.id}.${kind}`,
      protocol: detector.id,
      problem: tidy(problem) as string,
      fix: tidy(fix, 4_000) as string,
      spec: detector.spec,
    }));
}
