import type { HostFacts } from './host-report';

/**
 * What a report says about paying at a host: `untried` before anybody called its priced routes, `unseen` when it kept
 * them from us, which is no "no" (contract 3).
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
  const closed = protocols.some(({ id, status }) => (id === 'x402' || id === 'mpp') && status === 'error');
  return reachable === false || closed ? 'unseen' : 'not_payable';
}
