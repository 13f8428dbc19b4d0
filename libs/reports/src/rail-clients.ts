import type { PaymentRail } from './payment-rails';

/**
 * Who can pay a rail, and what stops the others, in a sentence each: `@x402/fetch 2.27`, `mppx 0.11 (domain_missing)`. Empty
 * where no released client speaks its network and scheme.
 */
export function whoPays({ clients }: Pick<PaymentRail, 'clients'>): {
  readonly paidBy: string;
  readonly stopped: string;
} {
  const named = ({ name, versions }: PaymentRail['clients'][number]): string => `${name} ${versions.join(', ')}`;
  return {
    paidBy: clients
      .filter(({ pays }) => pays)
      .map(named)
      .join('; '),
    stopped: clients
      .filter(({ pays }) => !pays)
      .map((client) => `${named(client)} (${client.reason ?? 'unknown'})`)
      .join('; '),
  };
}
