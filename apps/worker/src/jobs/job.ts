import type { Run } from '@app/persistence';
import type { Prober } from '@app/probing';
import type { HostName } from '@app/reports';
import type { HostRecorder } from '../host-recorder';

/** What every kind of look works with. */
export interface JobParts {
  readonly prober: Prober;
  readonly recorder: HostRecorder;
}

/** One kind of look. Faults of the host are findings; what it throws is a bug of ours. */
export type Job = (parts: JobParts, run: Run, host: HostName, deadlineMs: number) => Promise<void>;
