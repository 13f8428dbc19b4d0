import { type DeepReadonly, defined } from '@app/platform';
import { z } from 'zod';
import type { HostFacts } from './host-report';
import { time } from './answer-schema';
import { PaymentRail } from './payment-rails';

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

/**
 * Why it is not known what the routes of x402 and MPP ask for: `x402_rate_limited`, `x402_not_exercised`. A cell that could
 * not be probed has a reason, and so has one whose routes were not all called or gave no answer (behaviour 5.7).
 */
export function unseenReasons(protocols: HostFacts['protocols']): readonly string[] {
  return protocols.flatMap(({ id, status, details: { reason } }) => {
    const isOpen = (id === 'x402' || id === 'mpp') && (status === 'error' || typeof reason === 'string');
    return isOpen ? [`${id}_${typeof reason === 'string' ? reason : 'error'}`] : [];
  });
}

/**
 * What a report says about paying at a host: `untried` before its priced routes were called, `unseen` when the
 * probe could not read or did not reach them, which is no "no" (behaviour 4.4, 5.7).
 */
export type Payability = 'payable' | 'not_payable' | 'untried' | 'unseen';

export function payabilityOf({
  paymentRails,
  callabilityProbedAt,
  reachable,
  protocols,
}: Pick<HostFacts, 'paymentRails' | 'callabilityProbedAt' | 'reachable' | 'protocols'>): Payability {
  if (paymentRails.payable) return 'payable';
  if (callabilityProbedAt === undefined) return 'untried';
  if (paymentRails.rails.length > 0) return 'not_payable';
  return reachable === false || unseenReasons(protocols).length > 0 ? 'unseen' : 'not_payable';
}
