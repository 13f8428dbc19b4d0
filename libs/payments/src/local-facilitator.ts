import type { FacilitatorClient } from '@x402/core/server';
import type { LocalFacilitatorOptions } from './evm-facilitator';

/**
 * An x402 facilitator for the `exact` scheme in this process: checks a payer's EIP-3009 authorisation against the chain
 * and carries it out with the service's own account (https://github.com/x402-foundation/x402, specs/schemes/exact).
 * The libraries it needs are read with its first call: a gateway with a facilitator elsewhere never needs them.
 * Its calls reject when the node gave no answer, since that says nothing about the payment.
 */
export function createLocalFacilitator(options: LocalFacilitatorOptions): FacilitatorClient {
  let opening: Promise<FacilitatorClient> | undefined;
  const opened = (): Promise<FacilitatorClient> =>
    (opening ??= import('./evm-facilitator.js').then((read) => read.openEvmFacilitator(options)));
  return {
    verify: async (payload, requirements) => (await opened()).verify(payload, requirements),
    settle: async (payload, requirements) => (await opened()).settle(payload, requirements),
    getSupported: async () => (await opened()).getSupported(),
  };
}
