import type { CellStatus } from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { protocolId } from './answer-schema';
import type { HostReport } from './host-report';

/** Behaviour 7.13: a report in at most one kilobyte, for an agent that only wants to know whether to go on. */
export const Participation = z.object({
  domain: z.string(),
  /** Whether an agent finds something it can use; null when it was not probed, or the probe could not see it. */
  participates: z.boolean().nullable(),
  /** In report order. */
  present: z.array(protocolId),
  partial: z.array(protocolId),
  payable: z.boolean(),
  presenceStale: z.boolean(),
  callabilityStale: z.boolean(),
  /** `refresh_host` when nothing fresh is known, `pay_preflight` before a payment, otherwise `lookup_host`. */
  nextAction: z.enum(['refresh_host', 'pay_preflight', 'lookup_host']),
});
export type Participation = DeepReadonly<z.infer<typeof Participation>>;

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

/** The host was not probed, or it runs and a probe could not read all: "no" would be a guess (behaviour 4.4). */
function isUnknown({ reachable }: HostReport, errors: readonly string[]): boolean {
  return reachable === undefined || (reachable && errors.length > 0);
}
