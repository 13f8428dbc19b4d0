import { GATEWAY_WALLETS, type Network } from '@app/networks';
import { text } from '../formats/json';
import type { X402Accept } from './x402-accept';

/** In seconds: the value in servers of the earlier release; less is not enough for a batch. */
const MIN_TIMEOUT_SEC = 345_600;

/**
 * Whether an `exact` option is paid through Circle Gateway, which batches many small payments: it states Gateway's
 * domain in place of the token's (@circle-fin/x402-batching).
 */
export function isGatewayOption({ scheme, version, extra }: Pick<X402Accept, 'scheme' | 'version' | 'extra'>): boolean {
  return version === 2 && scheme === 'exact' && extra['name'] === 'GatewayWalletBatched' && extra['version'] === '1';
}

/** Why a payment through Circle Gateway would fail: a wrong contract, or an unsupported network. */
export function gatewayReasons({ extra }: X402Accept, network: Network | undefined): readonly string[] {
  const contract = text(extra['verifyingContract']);
  const due = network?.testnet ? GATEWAY_WALLETS.test : GATEWAY_WALLETS.main;
  return [
    ...(contract === undefined ? ['gateway_contract_missing'] : []),
    ...(contract !== undefined && contract.toLowerCase() !== due.toLowerCase() ? ['gateway_contract_wrong'] : []),
    ...(network && !network.gateway ? ['gateway_network_unsupported'] : []),
  ];
}

/** Requirements and oddities of a payment through Circle Gateway. */
export function gatewayWarnings({ maxTimeoutSeconds }: X402Accept): readonly string[] {
  return ['gateway_deposit_needed', ...((maxTimeoutSeconds ?? 0) < MIN_TIMEOUT_SEC ? ['gateway_timeout_short'] : [])];
}
