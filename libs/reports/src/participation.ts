import type { CellStatus } from '@app/detectors';
import type { HostReport } from './host-report';

/** What a caller may do next, as the name of one of our tools. */
export type NextAction = 'refresh_host' | 'pay_preflight' | 'lookup_host';

/** Contract 6: a report in at most one kilobyte, for an agent that only wants to know whether to go on. */
export interface Participation {
  readonly domain: string;
  /** Whether an agent finds something it can use; null when nobody has looked, or looking did not work. */
  readonly participates: boolean | null;
  /** Detector ids, in report order. */
  readonly present: readonly string[];
  readonly partial: readonly string[];
  readonly payable: boolean;
  readonly presenceStale: boolean;
  readonly callabilityStale: boolean;
  /** `refresh_host` when nothing fresh is known, `pay_preflight` before a payment, otherwise `lookup_host`. */
  readonly nextAction: NextAction;
}

export function participation(report: HostReport): Participation {
  const withStatus = (status: CellStatus): readonly string[] =>
    report.protocols.filter((cell) => cell.status === status).map((cell) => cell.id);
  const present = withStatus('present');
  const { payable } = report.paymentRails;
  const { presenceStale, callabilityStale } = report.cache;
  return {
    domain: report.domain,
    participates: present.length > 0 || payable ? true : isUnknown(report, withStatus('error')) ? null : false,
    present,
    partial: withStatus('partial'),
    payable,
    presenceStale,
    callabilityStale,
    nextAction: presenceStale ? 'refresh_host' : payable ? 'pay_preflight' : 'lookup_host',
  };
}

/** Nobody looked, or a living host kept something from us: "no" would be a guess (contract 3). */
function isUnknown({ reachable }: HostReport, errors: readonly string[]): boolean {
  return reachable === undefined || (reachable && errors.length > 0);
}
