import { GATEWAY_WALLETS, type Network } from '@app/networks';
import { text } from '../formats/json';
import type { X402Accept } from './x402-accept';

/** In seconds: what servers of the earlier release ask for; less is not enough for a batch. */
const MIN_TIMEOUT_SEC = 345_600;

/**
 * Whether an option of the scheme `exact` is paid by Circle Gateway, which moves many small payments at once: it states
 * this domain in place of the token's (@circle-fin/x402-batching).
 */
export function isGatewayOption({ scheme, version, extra }: Pick<X402Accept, 'scheme' | 'version' | 'extra'>): boolean {
  return version === 2 && scheme === 'exact' && extra['name'] === 'GatewayWalletBatched' && extra['version'] === '1';
}

/** What prevents a payment by Circle Gateway: another contract than its own, or a network it does not serve. */
export function gatewayReasons({ extra }: X402Accept, network: Network | undefined): readonly string[] {
  const contract = text(extra['verifyingContract']);
  const due = network?.testnet ? GATEWAY_WALLETS.test : GATEWAY_WALLETS.main;
  return [
    ...(contract === undefined ? ['gateway_contract_missing'] : []),
    ...(contract !== undefined && contract.toLowerCase() !== due.toLowerCase() ? ['gateway_contract_wrong'] : []),
    ...(network && !network.gateway ? ['gateway_network_unsupported'] : []),
  ];
}

/** What a payer needs, and what is odd, about a payment by Circle Gateway. */
export function gatewayWarnings({ maxTimeoutSeconds }: X402Accept): readonly string[] {
  return ['gateway_deposit_needed', ...((maxTimeoutSeconds ?? 0) < MIN_TIMEOUT_SEC ? ['gateway_timeout_short'] : [])];
}
