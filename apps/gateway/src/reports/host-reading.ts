import type { ChangesReport, HostReport } from '@app/reports';
import type { PriceStep } from './words/price-steps';

/** A report with its free history: what pages, Markdown and feeds are rendered from. */
export interface HostReading {
  readonly report: HostReport;
  readonly changes: ChangesReport;
  /** The price changes among the changes. */
  readonly prices?: readonly PriceStep[];
  /** Whether we must wait until the time that the host named. */
  readonly waits?: boolean;
}
