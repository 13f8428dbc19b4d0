import type { Config } from '@app/config';
import type { TargetBudgets } from '@app/limits';
import type { ClaimRepository, EvidenceRepository } from '@app/storage';
import type { Prober } from '@app/probing';
import type { Run, RunKind, RunOutcome } from '@app/queue';
import type { CensusShare } from './census-share';
import type { HostRecorder } from './host-recorder';
import type { JudgingThreads } from '../judging/judging-threads';
import type { ProgressPublisher } from './progress-publisher';

/** What every kind of probe works with. */
export interface JobDeps {
  readonly prober: Prober;
  readonly recorder: HostRecorder;
  /** What earlier probes found. */
  readonly evidence: EvidenceRepository;
  /** Where documents are read. */
  readonly judging: JudgingThreads;
  readonly budgets: TargetBudgets;
  readonly claims: ClaimRepository;
  readonly share: CensusShare;
  readonly config: Pick<Config, 'claimResolvers'>;
}

/**
 * One kind of probe. Returns what it found, or undefined when that is stored already, together with a report. Faults of
 * the host are findings; what it throws is a bug in this program.
 */
export type Job<Kind extends RunKind = RunKind> = (
  deps: JobDeps,
  run: Run<Kind>,
  deadlineMs: number,
  progress: ProgressPublisher,
) => Promise<RunOutcome<Kind> | undefined>;
