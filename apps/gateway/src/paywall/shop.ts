import { PaymentUnavailableError, type ProofReading } from '@app/payments';
import type { PaidOperation } from './paid-operation';
import type { Paywall } from './paywall.service';
import type { Sale } from './release';

/** The one door to everything paid, for REST and MCP. */
export class Shop {
  constructor(private readonly paywall: Paywall | null) {}

  /**
   * Sells an operation for arguments it parsed. Its admission is asked before the paywall, so that no payment is asked
   * for work that could not be done (contract 1: 400, 429, 503, 402, work).
   * @throws as {@link Paywall.sell}, and what the admission throws; 503 when payments are away
   */
  async buy<Args>(operation: PaidOperation<Args>, args: Args, proof: ProofReading | undefined): Promise<Sale> {
    if (!this.paywall) {
      throw new PaymentUnavailableError(
        'payments_not_configured',
        'this service does not take payments at the moment',
        300,
      );
    }
    return this.paywall.sell(operation.offer(args), proof, operation.job(args));
  }
}
