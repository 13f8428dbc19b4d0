import { text } from '../json';
import { checksumHolds, isEvmAddress, isSolanaKey, isUnspendable } from './addresses';
import { caip2OfV1Name, isCaip2, networkById, type Network } from './networks';
import { isTokenElsewhere, tokenAt, type Token } from './tokens';
import { atomicAmount, isImplausible, usdOf } from './usd';
import type { X402Accept } from './x402-accept';

/** What the checks found out about one payment option. */
export interface AcceptCheck {
  /** CAIP-2 id, or as stated when it is none. */
  readonly networkId: string | null;
  readonly network: Network | undefined;
  readonly token: Token | undefined;
  readonly amountUsd: string | null;
  /** Codes of failed checks. None means: an agent with the right wallet can pay this. */
  readonly reasons: readonly string[];
  /** Codes of oddities that do not prevent payment by a lenient client. */
  readonly warnings: readonly string[];
  /** Whether the reference client pays it without knowing the token by itself. */
  readonly strictClientReadable: boolean;
}

const LONG_TIMEOUT_SEC = 3_600;

/**
 * The checks behind "an agent can pay this": scheme, network, mainnet, amount, asset, payee, checksum, timeout,
 * EIP-712 domain, Solana fee payer, plausible price. Spec 1.7; contract 3 and 8.
 */
export function checkAccept(accept: X402Accept): AcceptCheck {
  const networkId = networkIdOf(accept);
  const network = networkId === null ? undefined : networkById(networkId);
  const token = networkId === null || accept.asset === null ? undefined : tokenAt(networkId, accept.asset);
  const amount = accept.amount === null ? undefined : atomicAmount(accept.amount);
  const domain = networkId?.startsWith('eip155:') ? domainFault(accept, token) : undefined;
  const reasons = [
    accept.scheme === 'exact' || accept.scheme === 'upto' ? undefined : 'scheme_unsupported',
    networkId === null ? 'network_unparsable' : network === undefined ? 'network_unknown' : undefined,
    network?.testnet === true ? 'network_testnet' : undefined,
    amountFault(accept.amount, amount),
    assetFault(accept.asset, token),
    payToFault(accept, networkId),
    timeoutFault(accept, networkId),
    domain?.fatal === true ? domain.code : undefined,
    feePayerFault(accept, networkId),
    token && amount !== undefined && isImplausible(amount, token.decimals) ? 'price_implausible' : undefined,
  ];
  return {
    networkId: networkId ?? accept.network,
    network,
    token,
    amountUsd: token && amount !== undefined ? usdOf(amount, token.decimals) : null,
    reasons: reasons.filter((reason) => reason !== undefined),
    warnings: warningsOf(accept, token, domain),
    strictClientReadable: accept.wellTyped && domain === undefined && !namesCaip2InV1(accept),
  };
}

function warningsOf(accept: X402Accept, token: Token | undefined, domain: DomainFault | undefined): readonly string[] {
  const { payTo, maxTimeoutSeconds } = accept;
  return [
    payTo !== null && isEvmAddress(payTo) && !checksumHolds(payTo) ? 'payto_bad_checksum' : undefined,
    domain?.fatal === false ? domain.code : undefined,
    accept.wellTyped ? undefined : 'option_members_untyped',
    namesCaip2InV1(accept) ? 'v1_body_with_caip2_network' : undefined,
    (maxTimeoutSeconds ?? 0) > LONG_TIMEOUT_SEC ? 'timeout_long' : undefined,
    statesOtherDecimals(accept, token) ? 'decimals_mismatch' : undefined,
  ].filter((warning) => warning !== undefined);
}

/** V1 names its networks; its legacy clients know no other form. */
function namesCaip2InV1({ version, network }: X402Accept): boolean {
  return version === 1 && network !== null && isCaip2(network);
}

/** CAIP-2 id of the option's network. V2 states it; V1 states a name, and some V1 servers the id. */
function networkIdOf({ network, version }: X402Accept): string | null {
  if (network === null) return null;
  const named = version === 1 ? caip2OfV1Name(network) : undefined;
  if (named !== undefined) return named;
  // `cloudflare:402` is in use although its namespace is longer than CAIP-2 allows.
  return isCaip2(network) || networkById(network) ? network : null;
}

function amountFault(stated: string | null, amount: bigint | undefined): string | undefined {
  if (amount === 0n) return 'amount_zero';
  if (amount !== undefined) return undefined;
  // "0.50" where atomic units are due: authors mistake the field for dollars.
  return stated !== null && /^\d{1,30}\.\d{1,30}$/.test(stated) ? 'amount_decimal_not_atomic' : 'amount_invalid';
}

function assetFault(asset: string | null, token: Token | undefined): string | undefined {
  if (token) return undefined;
  return asset !== null && isTokenElsewhere(asset) ? 'asset_network_mismatch' : 'asset_unknown';
}

function payToFault({ payTo, asset }: X402Accept, networkId: string | null): string | undefined {
  if (payTo === null || payTo.trim() === '') return 'payto_empty';
  if (networkId === 'cloudflare:402') return undefined; // a role such as `merchant`
  if (networkId?.startsWith('solana:')) return isSolanaKey(payTo) ? sameAsAsset(payTo === asset) : 'payto_invalid';
  if (networkId?.startsWith('stellar:')) return /^[GC][A-Z2-7]{55}$/.test(payTo) ? undefined : 'payto_invalid';
  if (networkId?.startsWith('aptos:')) return /^0x[0-9a-fA-F]{1,64}$/.test(payTo) ? undefined : 'payto_invalid';
  if (!networkId?.startsWith('eip155:')) return undefined;
  if (!isEvmAddress(payTo)) return 'payto_invalid';
  if (isUnspendable(payTo)) return 'payto_zero';
  return sameAsAsset(payTo.toLowerCase() === asset?.toLowerCase());
}

function sameAsAsset(same: boolean): string | undefined {
  return same ? 'payto_is_asset' : undefined;
}

function timeoutFault({ maxTimeoutSeconds }: X402Accept, networkId: string | null): string | undefined {
  if (networkId === 'cloudflare:402') return undefined;
  return maxTimeoutSeconds !== null && maxTimeoutSeconds > 0 ? undefined : 'timeout_invalid';
}

/** Solana payments are submitted by a fee payer whom the option names. */
function feePayerFault({ extra }: X402Accept, networkId: string | null): string | undefined {
  if (!networkId?.startsWith('solana:')) return undefined;
  return isSolanaKey(text(extra['feePayer']) ?? '') ? undefined : 'svm_feepayer_missing';
}

interface DomainFault {
  readonly code: string;
  /** A signature under the stated domain can never verify. A missing domain only stops clients without a table. */
  readonly fatal: boolean;
}

/**
 * EIP-3009 payments are signed under the token's EIP-712 domain, which the option states in `extra.name` and
 * `extra.version` (https://eips.ethereum.org/EIPS/eip-3009). Permit2 payments need none.
 */
function domainFault({ extra, asset }: X402Accept, token: Token | undefined): DomainFault | undefined {
  if (extra['assetTransferMethod'] === 'permit2') return undefined;
  if (token?.permit2Only) return { code: 'eip3009_unsupported_by_asset', fatal: true };
  const [name, version] = [text(extra['name']), text(extra['version'])];
  const contract = text(extra['verifyingContract']);
  if (contract !== undefined && isEvmAddress(contract) && contract.toLowerCase() !== asset?.toLowerCase()) {
    // Circle Gateway signs under its own wallet contract: legitimate, and more than the reference client does.
    return name === 'GatewayWalletBatched'
      ? { code: 'eip712_domain_of_gateway', fatal: false }
      : { code: 'eip712_domain_wrong', fatal: true };
  }
  const wrong =
    token?.domain &&
    ((name !== undefined && name !== token.domain.name) || (version !== undefined && version !== token.domain.version));
  if (wrong) return { code: 'eip712_domain_wrong', fatal: true };
  return name === undefined || version === undefined ? { code: 'eip712_domain_missing', fatal: false } : undefined;
}

function statesOtherDecimals({ extra }: X402Accept, token: Token | undefined): boolean {
  const stated = extra['decimals'];
  return token !== undefined && typeof stated === 'number' && stated !== token.decimals;
}
