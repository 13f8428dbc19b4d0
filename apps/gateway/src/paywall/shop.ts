import type { RunRequest } from '@app/persistence';
import { PaymentUnavailableError, type Offer, type ProofReading } from '@app/payments';
import type { ProbeClient } from '../probes/probe-client';
import type { PaidOperation } from './paid-operation';
import type { Job, Paywall, Work } from './paywall.service';
import type { Sale } from './release';

/**
 * The one door to everything paid, for REST and MCP: admission before the paywall, so that no payment is asked for
 * work that could not be done (contract 1: 400, 429, 503, 402, work).
 */
export class Shop {
  constructor(
    private readonly paywall: Paywall | null,
    private readonly probes: ProbeClient,
    /** Base of the resource URLs that payments are bound to. */
    readonly baseUrl: string,
  ) {}

  /**
   * Sells work that needs a worker. `looks` are the looks the work will make: a host that must not be asked now is
   * refused before the paywall.
   * @throws as {@link Paywall.sell}, and as {@link ProbeClient.admit}; 503 when payments are away
   */
  async sell(
    offer: Offer,
    proof: ProofReading | undefined,
    work: () => Promise<Work>,
    looks: readonly RunRequest[],
  ): Promise<Sale> {
    return this.sellJob(offer, proof, { admit: () => this.probes.admit(looks), work });
  }

  /** Sells an operation for arguments it parsed. @throws as {@link Paywall.sell}, and what its admission throws */
  async buy<Args>(operation: PaidOperation<Args>, args: Args, proof: ProofReading | undefined): Promise<Sale> {
    return this.sellJob(operation.offer(args), proof, operation.job(args));
  }

  private async sellJob(offer: Offer, proof: ProofReading | undefined, job: Job): Promise<Sale> {
    if (!this.paywall) {
      throw new PaymentUnavailableError(
        'payments_not_configured',
        'this service does not take payments at the moment',
        300,
      );
    }
    return this.paywall.sell(offer, proof, job);
  }
}
