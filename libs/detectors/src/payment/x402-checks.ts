import {
  caip2OfV1Name,
  canonicalNetworkId,
  comparableAddress,
  isAccount,
  isCaip2,
  isEvmAddress,
  isTokenElsewhere,
  isUnjudged,
  isUnspendable,
  networkById,
  tokenAt,
  type Network,
  type Token,
} from '@app/networks';
import { text, type JsonValue } from '../formats/json';
import { checksumHolds } from './addresses';
import { atomicAmount, isImplausible, usdOf } from './usd';
import type { X402Accept } from './x402-accept';
import { gatewayReasons, gatewayWarnings, isGatewayOption } from './x402-gateway';
import { ESCROWS, isScheme, memberFaults, schemeRules, type SchemeRules } from './x402-schemes';

/** The fault of the stated EIP-712 domain. */
interface DomainFault {
  readonly code: string;
  /**
   * Whether signatures under the stated domain can never be valid. A missing domain only stops clients without a token
   * table.
   */
  readonly fatal: boolean;
}

/**
 * EIP-3009 payments are signed under the token's EIP-712 domain, which the option states in `extra.name` and
 * `extra.version` (https://eips.ethereum.org/EIPS/eip-3009). Permit2 payments do not need it.
 */
function domainFault(accept: X402Accept, token: Token | undefined): DomainFault | undefined {
  const { extra, asset, scheme, version: x402Version } = accept;
  // Version 1 only has EIP-3009.
  if (extra['assetTransferMethod'] === 'permit2' && x402Version === 2) return undefined;
  if (token?.permit2Only) return { code: 'eip3009_unsupported_by_asset', fatal: true };
  const [name, version] = [text(extra['name']), text(extra['version'])];
  const contract = text(extra['verifyingContract']);
  if (contract !== undefined && isEvmAddress(contract) && contract.toLowerCase() !== asset?.toLowerCase()) {
    return { code: 'eip712_domain_wrong', fatal: true };
  }
  const wrong =
    token?.domain &&
    ((name !== undefined && name !== token.domain.name) || (version !== undefined && version !== token.domain.version));
  if (wrong) return { code: 'eip712_domain_wrong', fatal: true };
  // The other schemes require both fields themselves.
  return scheme === 'exact' && (name === undefined || version === undefined)
    ? { code: 'eip712_domain_missing', fatal: false }
    : undefined;
}

/** The results of the checks of a payment option. */
export interface AcceptCheck {
  /** CAIP-2 id, or as stated if invalid. */
  readonly networkId: string | null;
  readonly network: Network | undefined;
  readonly token: Token | undefined;
  readonly amountUsd: string | null;
  /** Codes of failed checks; if there are none, an agent with the right wallet can pay. */
  readonly reasons: readonly string[];
  /** Codes of faults that lenient clients tolerate. */
  readonly warnings: readonly string[];
  /** Names of missing or invalid fields of `extra`. */
  readonly members: readonly string[];
  /** Whether the reference client can pay it without its own token table. */
  readonly strictClientReadable: boolean;
}

/** An option with the data about its network, asset and recipient. */
interface Subject {
  readonly accept: X402Accept;
  readonly networkId: string | null;
  readonly network: Network | undefined;
  readonly token: Token | undefined;
  readonly rules: SchemeRules | undefined;
  readonly domain: DomainFault | undefined;
  /** The time of the challenge in milliseconds. */
  readonly observedAt: number;
}

const LONG_TIMEOUT_SEC = 3_600;
/** With a longer timeout, clients cannot represent the expiry time, and some schemes store it in 48 bits. */
const MAX_TIMEOUT_SEC = 2 ** 47;

/**
 * The checks behind "an agent can pay this" (behaviour 6.1, 6.4, 6.5): scheme, network, mainnet, amount, asset,
 * recipient, checksum, timeout, EIP-712 domain, required fields in `extra`, plausible price. `observedAt` is the time
 * (RFC 3339) of the answer with the option.
 */
export function checkAccept(accept: X402Accept, observedAt: string): AcceptCheck {
  const subject = subjectOf(accept, observedAt);
  const { networkId, network, token, domain, rules } = subject;
  const amount = accept.amount === null ? undefined : atomicAmount(accept.amount);
  const method = methodFault(subject);
  // The requirements of a scheme depend on the method.
  const faults = rules && networkId !== null && !method ? memberFaults(rules, { accept, network: networkId }) : [];
  const reasons = [
    schemeFault(subject),
    networkFault(subject),
    network?.testnet === true ? 'network_testnet' : undefined,
    amountFault(accept.amount, amount),
    assetFault(subject),
    payToFault(subject),
    timeoutFault(subject),
    domain?.fatal === true ? domain.code : undefined,
    method,
    ...faults.map(({ reason }) => reason),
    deadlineFault(subject),
    ...(isGatewayOption(accept) ? gatewayReasons(accept, network) : []),
    token?.dollar && amount !== undefined && isImplausible(amount, token.decimals) ? 'price_implausible' : undefined,
  ].filter((reason) => reason !== undefined);
  return {
    networkId: networkId ?? accept.network,
    network,
    token,
    amountUsd: token?.dollar && amount !== undefined ? usdOf(amount, token.decimals) : null,
    reasons: [...new Set(reasons)],
    warnings: warningsOf(subject),
    members: faults.map(({ name }) => name),
    strictClientReadable:
      accept.wellTyped && domain === undefined && !namesCaip2InV1(accept) && !isGatewayOption(accept),
  };
}

function subjectOf(accept: X402Accept, observedAt: string): Subject {
  const networkId = networkIdOf(accept);
  const token = networkId === null || accept.asset === null ? undefined : tokenAt(networkId, accept.asset);
  const rules = networkId === null ? undefined : schemeRules(accept.scheme, networkId);
  return {
    accept,
    networkId,
    network: networkId === null ? undefined : networkById(networkId),
    token,
    rules,
    domain: rules?.methods?.includes('eip3009') && !isGatewayOption(accept) ? domainFault(accept, token) : undefined,
    observedAt: Date.parse(observedAt),
  };
}

function warningsOf({ accept, networkId, token, rules, domain }: Subject): readonly string[] {
  const { payTo, maxTimeoutSeconds, extra } = accept;
  const byGateway = isGatewayOption(accept);
  const [method, flow] = [extra['assetTransferMethod'], extra['paymentFlow']];
  return [
    networkId !== null && isUnjudged(networkId) ? 'network_unknown' : undefined,
    networkId !== null && networkId !== accept.network && accept.network?.includes(':')
      ? 'network_long_form'
      : undefined,
    payTo !== null && isEvmAddress(payTo) && !checksumHolds(payTo) ? 'payto_bad_checksum' : undefined,
    domain?.fatal === false ? domain.code : undefined,
    accept.wellTyped ? undefined : 'option_members_untyped',
    namesCaip2InV1(accept) ? 'v1_body_with_caip2_network' : undefined,
    (maxTimeoutSeconds ?? 0) > LONG_TIMEOUT_SEC && !byGateway ? 'timeout_long' : undefined,
    statesOtherDecimals(accept, token) ? 'decimals_mismatch' : undefined,
    rules?.methods && !rules.otherMethod && isOther(method, rules.methods) ? 'transfer_method_unknown' : undefined,
    rules && isOther(flow, rules.flows) ? 'payment_flow_unknown' : undefined,
    rules?.needs,
    ...(byGateway ? gatewayWarnings(accept) : []),
    ...(accept.scheme === 'auth-capture' ? captureWarnings(accept) : []),
  ].filter((warning) => warning !== undefined);
}

function isOther(stated: JsonValue | undefined, known: readonly string[]): boolean {
  return stated !== undefined && (typeof stated !== 'string' || !known.includes(stated));
}

/** V1 uses network names; its legacy clients know no other form. */
function namesCaip2InV1({ version, network }: X402Accept): boolean {
  return version === 1 && network !== null && isCaip2(network);
}

/** CAIP-2 id of the option's network. V2 options state the id; V1 options state a name, although some V1
 * servers state the id. */
function networkIdOf({ network, version }: X402Accept): string | null {
  if (network === null) return null;
  const named = version === 1 ? caip2OfV1Name(network) : undefined;
  if (named !== undefined) return named;
  const id = canonicalNetworkId(network);
  // `cloudflare:402` is in use although its namespace is longer than CAIP-2 allows.
  return isCaip2(id) || networkById(id) || isUnjudged(id) ? id : null;
}

/** Version 1 of x402 only has the scheme `exact`, and each scheme is only defined on some networks. */
function schemeFault({ accept: { scheme, version }, networkId, rules }: Subject): string | undefined {
  if (!isScheme(scheme)) return 'scheme_unsupported';
  if (scheme !== 'exact' && version === 1) return 'scheme_needs_version_2';
  if (rules) return rules.closed;
  const isJudged = networkId !== null && isAccount('', networkId) !== undefined;
  return isJudged || (networkId !== null && isUnjudged(networkId) && scheme !== 'exact')
    ? 'scheme_not_on_network'
    : undefined;
}

function networkFault({ networkId, network }: Subject): string | undefined {
  if (networkId === null) return 'network_unparsable';
  return network === undefined && !isUnjudged(networkId) ? 'network_unknown' : undefined;
}

function amountFault(stated: string | null, amount: bigint | undefined): string | undefined {
  if (amount === 0n) return 'amount_zero';
  if (amount !== undefined) return undefined;
  // "0.50" instead of atomic units, because authors think the field is in dollars.
  return stated !== null && /^\d{1,30}\.\d{1,30}$/.test(stated) ? 'amount_decimal_not_atomic' : 'amount_invalid';
}

function assetFault({ accept: { asset }, networkId, token }: Subject): string | undefined {
  if (token || (asset !== null && networkId !== null && isUnjudged(networkId))) return undefined;
  return asset !== null && isTokenElsewhere(asset) ? 'asset_network_mismatch' : 'asset_unknown';
}

function payToFault({ accept: { payTo, asset }, networkId }: Subject): string | undefined {
  if (payTo === null || payTo.trim() === '') return 'payto_empty';
  if (networkId !== null && isAccount(payTo, networkId) === false) return 'payto_invalid';
  if (isUnspendable(payTo)) return 'payto_zero';
  return comparableAddress(payTo) === comparableAddress(asset) ? 'payto_is_asset' : undefined;
}

function timeoutFault({ accept: { maxTimeoutSeconds }, networkId }: Subject): string | undefined {
  if (networkId === 'cloudflare:402') return undefined;
  const seconds = maxTimeoutSeconds ?? 0;
  return seconds > 0 && seconds <= MAX_TIMEOUT_SEC ? undefined : 'timeout_invalid';
}

/**
 * A transfer method that the scheme does not define. It is only a warning if released clients treat it as the default.
 */
function methodFault({ accept: { extra }, rules }: Subject): string | undefined {
  return rules?.methods && rules.otherMethod === 'refused' && isOther(extra['assetTransferMethod'], rules.methods)
    ? 'transfer_method_unsupported'
    : undefined;
}

/** The escrow of `auth-capture` accepts nothing after the capture deadline, but clients still sign. */
function deadlineFault({ accept: { scheme, extra }, observedAt }: Subject): string | undefined {
  const deadline = extra['captureDeadline'];
  return scheme === 'auth-capture' && typeof deadline === 'number' && deadline * 1_000 <= observedAt
    ? 'capture_deadline_past'
    : undefined;
}

function captureWarnings({ extra }: X402Accept): readonly string[] {
  const [capture, refund] = [extra['captureDeadline'], extra['refundDeadline']];
  const escrow = extra['authCaptureEscrow'];
  return [
    ...(typeof capture === 'number' && typeof refund === 'number' && refund < capture ? ['refund_deadline_early'] : []),
    ...(escrow !== undefined && !ESCROWS.some((known) => known === text(escrow)?.toLowerCase())
      ? ['escrow_contract_unknown']
      : []),
  ];
}

function statesOtherDecimals({ extra }: X402Accept, token: Token | undefined): boolean {
  const stated = extra['decimals'];
  return token !== undefined && typeof stated === 'number' && stated !== token.decimals;
}
