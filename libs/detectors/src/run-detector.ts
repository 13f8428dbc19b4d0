import { defined } from '@app/objects';
import type { Detector, Inquiry } from './judgement/detector';
import { atItsWord, knowsItself } from './documents/own-word';
import type { HostEvidence } from './evidence/host-evidence';
import type { JsonObject } from './formats/json';
import { gainOf, type Gain } from './judgement/gain';
import type { CellStatus, Judgement } from './judgement/judgement';
import { evidenceOf, pointerTo } from './quoting/evidence-summary';
import { tidy } from './quoting/tidy';

/** Behaviour 4.1 and behaviour 4.3. */
export interface ProtocolCell {
  readonly id: string;
  readonly status: CellStatus;
  readonly version: string | null;
  readonly details: JsonObject;
}

/** Behaviour 4.6. */
export interface Fix extends Gain {
  readonly id: string;
  readonly protocol: string;
  readonly problem: string;
  readonly fix: string;
  readonly spec: string;
}

/** A detector that threw, which is a bug of this service, for the log. */
export interface DetectorFailure {
  readonly detector: string;
  readonly stack: string;
}

export interface DetectorResult {
  readonly cell: ProtocolCell;
  readonly fixes: readonly Fix[];
  /** Set when the cell is an `error` because of a bug. */
  readonly failure?: DetectorFailure;
}

/**
 * Runs one detector. Owns what no detector may get wrong: evidence in every cell, quoted text made harmless, a bug in
 * a detector becoming an `error` of that cell alone, no fix for an `error`, and `.missing` only for `absent`.
 */
export function runDetector(detector: Detector, seen: HostEvidence): DetectorResult {
  try {
    const judgement = settled(detector, atItsWord(detector.judge(seen), seen), seen);
    const fixes = judgement.status === 'error' ? [] : adviceOf(detector, judgement, seen);
    return { cell: cellOf(detector, judgement), fixes };
  } catch (error) {
    const stack = (error instanceof Error ? error.stack : undefined) ?? String(error);
    const failed = { status: 'error', details: { reason: 'detector_failed' }, decidedBy: [] } as const;
    return { cell: cellOf(detector, failed), fixes: [], failure: { detector: detector.id, stack } };
  }
}

/** What decides an absence was not all requested: then the host did not say that it has nothing of the protocol. */
function settled(detector: Detector, judgement: Judgement, seen: HostEvidence): Judgement {
  const missed = judgement.status === 'absent' ? missedBy(detector, seen)[0] : undefined;
  if (!missed) return judgement;
  const { reason, exchange } = missed;
  const own = exchange === undefined || judgement.decidedBy.includes(exchange);
  const details = { reason, ...defined({ decidedBy: own ? undefined : pointerTo(exchange) }) };
  return { status: 'error', details, decidedBy: judgement.decidedBy };
}

/** Why the documents that decide a protocol were not reached, one entry for each of them. */
export function missedBy({ probes, followUps }: Inquiry, seen: HostEvidence) {
  return [...probes, ...(followUps?.(seen) ?? [])].flatMap(({ url, optional }) =>
    optional ? [] : (seen.missed(url) ?? []),
  );
}

/** Nothing can be read from a folder that the host denies (behaviour 4.8). */
function reachable(fix: string, { deniesWellKnown }: HostEvidence): string {
  if (deniesWellKnown === undefined || !fix.includes('/.well-known/')) return fix;
  return `Your server answers ${deniesWellKnown} to every path below /.well-known/: allow that folder first. ${fix}`;
}

function cellOf({ id }: Detector, judgement: Judgement): ProtocolCell {
  const { status, version = null, details = {}, findings = [] } = judgement;
  return {
    id,
    status,
    version: version === null ? null : (tidy(version) as string),
    details: {
      ...(tidy(details) as JsonObject),
      ...(findings.length > 0 ? { findings: tidy(findings.map((f) => ({ ...f }))) } : {}),
      evidence: judgement.decidedBy.map((exchange) => evidenceOf(exchange, judgement.withholdExcerpts === true)),
    },
  };
}

function adviceOf(detector: Detector, judgement: Judgement, seen: HostEvidence): readonly Fix[] {
  return detector
    .advise(judgement, seen)
    .filter(({ kind }) => kind !== 'missing' || judgement.status === 'absent')
    .filter(({ kind }) => kind === 'private_key' || !knowsItself(judgement))
    .map(({ kind, problem, fix }) => ({
      id: `${detector.id}.${kind}`,
      protocol: detector.id,
      ...gainOf(detector.gain, kind),
      problem: tidy(problem) as string,
      fix: tidy(reachable(fix, seen), 4_000) as string,
      spec: detector.spec,
    }));
}
