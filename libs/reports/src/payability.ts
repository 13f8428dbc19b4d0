import type { HostFacts } from './host-report';

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
