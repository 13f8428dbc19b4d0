import { defined, type DeepReadonly } from '@app/platform';
import { z } from 'zod';
import type { HostFacts } from './host-report';
import { time } from './answer-schema';
import type { PaymentRails } from './payment-rails';
import { isPayable, PaymentRail } from './rail-members';

/** Behaviour 7.12: a host with a payable challenge, and when it was observed. It is evidence, not a recommendation. */
const PayableHost = z.object({
  domain: z.string(),
  /** The options that match the query, as in the report. */
  rails: z.array(PaymentRail),
  /** When the newest of these options was observed. */
  observedAt: time,
});
export type PayableHost = DeepReadonly<z.infer<typeof PayableHost>>;

/** Behaviour 7.12, the answer of `find_payable`: hosts in alphabetical order. */
export const PayableHosts = z.object({
  hosts: z.array(PayableHost),
  /** The cursor of the next page. */
  nextCursor: z.string().exactOptional(),
});
export type PayableHosts = DeepReadonly<z.infer<typeof PayableHosts>>;

/** How many options of a host are listed; its report has all of them. */
export const MAX_RAILS_LISTED = 5;

/** One page of the list. `found` is sorted and may have one more than `limit`, which produces `nextCursor`. */
export function payableHostsPage(found: readonly PayableHost[], limit: number): PayableHosts {
  const hosts = found.slice(0, limit).map((host) => ({ ...host, rails: host.rails.slice(0, MAX_RAILS_LISTED) }));
  const last = found.length > limit ? hosts.at(-1) : undefined;
  return { hosts, ...defined({ nextCursor: last?.domain }) };
}

/** The fields of a report that determine whether an agent can pay. */
type PaymentFacts = Pick<HostFacts, 'paymentRails' | 'callabilityProbedAt' | 'reachable' | 'protocols'>;

/**
 * Why the terms of some x402 and MPP routes are unknown: `x402_rate_limited`, `x402_not_exercised`. A cell that could
 * not be checked has a reason, and so has one with a challenge if other routes were not called or did not answer
 * (behaviour 5.7).
 */
export function unseenReasons(
  { reachable, protocols }: PaymentFacts,
  rails: readonly PaymentRail[],
): readonly string[] {
  if (reachable === false) return ['host_unreachable'];
  return protocols.flatMap(({ id, status, details: { reason } }) => {
    if (id !== 'x402' && id !== 'mpp') return [];
    if (typeof reason === 'string') return [`${id}_${reason}`];
    return status === 'error' && rails.length === 0 ? [`${id}_error`] : [];
  });
}

/**
 * Whether a host can be paid according to its report: `untried` before its priced routes were called, `unseen` if one
 * of them could not be read or reached, which is not a "no" (behaviour 4.4, 5.7, 7.8).
 */
export type Payability = 'payable' | 'not_payable' | 'untried' | 'unseen';

/** @param rails those of the report, or as one client sees them; pay preflight uses the same rule */
export function payabilityOf(
  facts: PaymentFacts,
  { rails }: Pick<PaymentRails, 'rails'> = facts.paymentRails,
): Payability {
  if (rails.some(isPayable)) return 'payable';
  if (facts.callabilityProbedAt === undefined) return 'untried';
  return unseenReasons(facts, rails).length > 0 ? 'unseen' : 'not_payable';
}
