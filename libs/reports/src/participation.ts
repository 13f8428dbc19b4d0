import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { protocolId } from './answer-schema';
import type { HostReport } from './host-report';
import { idsWith } from './protocol-cell';

/** Behaviour 7.13: a report in at most one kilobyte, for an agent that needs a quick decision. */
export const Participation = z.object({
  domain: z.string(),
  /** Whether agents can use the host; null if it was not probed or could not be checked. */
  participates: z.boolean().nullable(),
  /** In report order. */
  present: z.array(protocolId),
  partial: z.array(protocolId),
  payable: z.boolean(),
  presenceStale: z.boolean(),
  callabilityStale: z.boolean(),
  /** `refresh_host` without fresh data, `pay_preflight` before a payment, otherwise `lookup_host`. */
  nextAction: z.enum(['refresh_host', 'pay_preflight', 'lookup_host']),
});
export type Participation = DeepReadonly<z.infer<typeof Participation>>;

export function participation(report: HostReport): Participation {
  const present = idsWith(report, 'present');
  const { payable } = report.paymentRails;
  const { presenceStale, callabilityStale } = report.cache;
  return {
    domain: report.domain,
    participates: present.length > 0 || payable ? true : isUnknown(report) ? null : false,
    present,
    partial: idsWith(report, 'partial'),
    payable,
    presenceStale,
    callabilityStale,
    nextAction: presenceStale ? 'refresh_host' : payable ? 'pay_preflight' : 'lookup_host',
  };
}

/** The host was not probed, or it is up and a probe was incomplete: "no" would be a guess (behaviour 4.4). */
function isUnknown(report: HostReport): boolean {
  return report.reachable === undefined || (report.reachable && idsWith(report, 'error').length > 0);
}
