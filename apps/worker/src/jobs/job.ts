import type { HostRepository, Run, RunKind, RunRepository } from '@app/persistence';
import type { Prober } from '@app/probing';
import type { HostName } from '@app/reports';
import type { HostRecorder } from '../host-recorder';
import type { JudgingThreads } from '../judging/judging-threads';

/** What every kind of look works with. */
export interface JobParts {
  readonly prober: Prober;
  readonly recorder: HostRecorder;
  /** Where a look that changes no report leaves what it found. */
  readonly runs: Pick<RunRepository, 'finish' | 'fail'>;
  /** What earlier looks found. */
  readonly hosts: Pick<HostRepository, 'findExchanges'>;
  /** Where documents are read. */
  readonly judging: Pick<JudgingThreads, 'with'>;
}

/** One kind of look. Faults of the host are findings; what it throws is a bug of ours. */
export type Job<Kind extends RunKind = RunKind> = (
  parts: JobParts,
  run: Run<Kind>,
  host: HostName,
  deadlineMs: number,
) => Promise<void>;
