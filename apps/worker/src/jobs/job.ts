import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '@app/config';
import { TargetBudgets } from '@app/limits';
import { ClaimRepository, EvidenceRepository, HostDayRepository } from '@app/storage';
import type { Prober } from '@app/probing';
import type { Run, RunKind, RunOutcome } from '@app/queue';
import { CensusShare } from './census-share';
import { HostRecorder } from './host-recorder';
import { JudgingThreads } from '../judging/judging-threads';
import type { ToldProgress } from './told-progress';
import { CONFIG, PROBER } from './tokens';

/** What every kind of probe works with. */
@Injectable()
export class JobDeps {
  constructor(
    @Inject(PROBER) readonly prober: Prober,
    readonly recorder: HostRecorder,
    /** What earlier probes found. */
    readonly evidence: EvidenceRepository,
    /** Where documents are read. */
    readonly judging: JudgingThreads,
    /** Whether hosts answered, day by day. */
    readonly days: HostDayRepository,
    readonly budgets: TargetBudgets,
    readonly claims: ClaimRepository,
    readonly share: CensusShare,
    @Inject(CONFIG) readonly config: Pick<Config, 'claimResolvers'>,
  ) {}
}

/**
 * One kind of probe. Returns what it found, or undefined when that is stored already, together with a report. Faults of
 * the host are findings; what it throws is a bug in this program.
 */
export type Job<Kind extends RunKind = RunKind> = (
  deps: JobDeps,
  run: Run<Kind>,
  deadlineMs: number,
  progress: ToldProgress,
) => Promise<RunOutcome<Kind> | undefined>;
