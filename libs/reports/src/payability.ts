import type { HostFacts } from './host-report';

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
  const closed = protocols.some(
    ({ id, status, details }) =>
      (id === 'x402' || id === 'mpp') && (status === 'error' || details['reason'] === 'not_exercised'),
  );
  return reachable === false || closed ? 'unseen' : 'not_payable';
}
