import type { Config } from '@app/config';
import type { TargetBudgets } from '@app/limits';
import type { ClaimRepository, EvidenceRepository } from '@app/storage';
import type { Prober } from '@app/probing';
import type { Run, RunKind, RunOutcome } from '@app/queue';
import type { CensusShare } from './census-share';
import type { HostRecorder } from './host-recorder';
import type { JudgingThreads } from '../judging/judging-threads';
import type { ProgressPublisher } from './progress-publisher';

/** The services of every kind of probe. */
export interface JobDeps {
  readonly prober: Prober;
  readonly recorder: HostRecorder;
  /** The stored evidence of earlier probes. */
  readonly evidence: EvidenceRepository;
  /** The threads that parse documents. */
  readonly judging: JudgingThreads;
  readonly budgets: TargetBudgets;
  readonly claims: ClaimRepository;
  readonly share: CensusShare;
  readonly config: Pick<Config, 'claimResolvers'>;
}

/**
 * One kind of probe. It returns its outcome, or undefined if that was already stored with a report. Faults of the host
 * are findings; an exception means a bug in this program.
 */
export type Job<Kind extends RunKind = RunKind> = (
  deps: JobDeps,
  run: Run<Kind>,
  deadlineMs: number,
  progress: ProgressPublisher,
) => Promise<RunOutcome<Kind> | undefined>;
