import { defined, type DeepReadonly } from '@app/platform';
import { z } from 'zod';
import type { HostFacts } from './host-report';
import { time } from './answer-schema';
import type { PaymentRails } from './payment-rails';
import { isPayable, PaymentRail } from './rail-members';

/** Behaviour 7.12: a host that answered with a payable challenge, and when that was seen. Evidence, not a recommendation. */
const PayableHost = z.object({
  domain: z.string(),
  /** The rails that match the query, as the report shows them. */
  rails: z.array(PaymentRail),
  /** When the newest of these rails was seen. */
  observedAt: time,
});
export type PayableHost = DeepReadonly<z.infer<typeof PayableHost>>;

/** Behaviour 7.12, the answer of `find_payable`: hosts in alphabetical order. */
export const PayableHosts = z.object({
  hosts: z.array(PayableHost),
  /** Continues the list after its last host. */
  nextCursor: z.string().exactOptional(),
});
export type PayableHosts = DeepReadonly<z.infer<typeof PayableHosts>>;

/** Rails shown of one host; its report has them all. */
export const MAX_RAILS_LISTED = 5;

/** One page of the list. `found` comes in order and may hold one more than `limit`, which then makes `nextCursor`. */
export function payableHostsPage(found: readonly PayableHost[], limit: number): PayableHosts {
  const hosts = found.slice(0, limit).map((host) => ({ ...host, rails: host.rails.slice(0, MAX_RAILS_LISTED) }));
  const last = found.length > limit ? hosts.at(-1) : undefined;
  return { hosts, ...defined({ nextCursor: last?.domain }) };
}

/** What of a report says whether an agent can pay. */
type PaymentFacts = Pick<HostFacts, 'paymentRails' | 'callabilityProbedAt' | 'reachable' | 'protocols'>;

/**
 * Why it is not known what the routes of x402 and MPP ask for: `x402_rate_limited`, `x402_not_exercised`. A cell that could
 * not be probed has a reason; beside a challenge, so has one whose other routes were not all called or gave no answer
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
 * What a report says about paying at a host: `untried` before its priced routes were called, `unseen` when the
 * probe could not read or did not reach one of them, which is no "no" (behaviour 4.4, 5.7, 7.8).
 */
export type Payability = 'payable' | 'not_payable' | 'untried' | 'unseen';

/** @param rails those of the report, or as one client sees them; pay preflight answers by the same */
export function payabilityOf(
  facts: PaymentFacts,
  { rails }: Pick<PaymentRails, 'rails'> = facts.paymentRails,
): Payability {
  if (rails.some(isPayable)) return 'payable';
  if (facts.callabilityProbedAt === undefined) return 'untried';
  return unseenReasons(facts, rails).length > 0 ? 'unseen' : 'not_payable';
}
