import type { ChangesReport, HostReport } from '@app/reports';

/** A report with its free history, in one of the forms people read. */
export interface HostReading {
  readonly report: HostReport;
  readonly changes: ChangesReport;
}
