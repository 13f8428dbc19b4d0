import type { FacilitatorClient } from '@x402/core/server';
import type { LocalFacilitatorOptions } from './evm-facilitator';

/**
 * An x402 facilitator for the `exact` scheme in this process: it verifies a payer's EIP-3009 authorization on the chain
 * and executes it from the service's own account (https://github.com/x402-foundation/x402, specs/schemes/exact). Its
 * libraries are loaded with the first call, because a gateway with an external facilitator does not need them. Calls
 * reject if the node did not answer, because that says nothing about the payment.
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
