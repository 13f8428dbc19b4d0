import { isAccount } from '@app/networks';
import { member, scalar, ownValue, text, type JsonObject, isObject, list } from '../formats/json';
import type { MppChallenge } from './mpp-challenge';
import { isTokenMethod, mppTerms } from './mpp-methods';
import type { MppTerms } from './mpp-terms';
import { atomicAmount, isImplausible, usdOf } from './usd';

/** The maximum number of additional recipients of one payment, by method. */
const MAX_SPLITS: Readonly<Record<string, number>> = { tempo: 10, hedera: 9 };

/**
 * The fault of the splits: too many, one without account or amount, or nothing left for the main recipient, which
 * clients do not sign.
 */
function splitsFault(
  method: string | null,
  request: JsonObject,
  amount: bigint,
  terms: MppTerms | undefined,
): string | undefined {
  const stated = member(request, 'splits') ?? member(member(request, 'methodDetails'), 'splits');
  if (stated === undefined) return undefined;
  const shares = (list(stated) ?? []).map((split) => (isObject(split) ? shareOf(split, terms) : undefined));
  const max = ownValue(MAX_SPLITS, method ?? '') ?? shares.length;
  const sum = shares.reduce<bigint>((total, share) => total + (share ?? 0n), 0n);
  const sound = shares.length > 0 && shares.length <= max && !shares.includes(undefined) && sum < amount;
  return sound ? undefined : 'mpp_splits_invalid';
}

/** The amount of a split; undefined if it or its recipient is missing or invalid. */
function shareOf(split: JsonObject, terms: MppTerms | undefined): bigint | undefined {
  const share = atomicAmount(text(member(split, 'amount')) ?? '');
  const recipient = text(member(split, 'recipient')) ?? '';
  const isPayable = recipient !== '' && isAccount(recipient, terms?.networkId ?? '') !== false;
  return isPayable && share !== undefined && share > 0n ? share : undefined;
}

/** The results of the checks of a `Payment` challenge. */
export interface MppCheck {
  readonly terms: MppTerms | undefined;
  /** As stated, if it is a string or a whole number. */
  readonly amount: string | null;
  readonly amountUsd: string | null;
  readonly currency: string | null;
  readonly recipient: string | null;
  /** Codes of failed checks; if there are none, an agent with the right means can pay it. */
  readonly reasons: readonly string[];
}

/** The tolerated clock difference between the host and us, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

const INTENTS = ['charge', 'session', 'subscription', 'authorize', 'upto', 'escrow'];

/**
 * Payable means: the five mandatory parameters, a decodable request, a known method with valid currency and recipient,
 * a mainnet, and not expired when received.
 */
export function checkMpp(challenge: MppChallenge): MppCheck {
  const { request, method, intent } = challenge;
  const terms = request === null || method === null ? undefined : mppTerms(method, request);
  const stated = member(request ?? {}, 'amount');
  const amount = typeof stated === 'number' && Number.isSafeInteger(stated) ? String(stated) : (text(stated) ?? null);
  const atomic = amount === null ? undefined : atomicAmount(amount);
  const decimals = terms?.usdDecimals ?? null;
  const reasons = [
    ...challenge.faults,
    method !== null && request !== null && !terms ? 'method_unsupported' : undefined,
    intent !== null && !INTENTS.includes(intent) ? 'intent_unknown' : undefined,
    request === null ? undefined : atomic === undefined ? 'amount_invalid' : atomic === 0n ? 'amount_zero' : undefined,
    ...(terms?.missing ?? []),
    terms?.currencyUnexpected ? 'mpp_currency_unexpected' : undefined,
    terms && terms.networkId !== null && !terms.network ? 'network_unknown' : undefined,
    terms?.network?.testnet ? 'network_testnet' : undefined,
    assetUnknown(method, terms) ? 'asset_unknown' : undefined,
    hasExpired(challenge) ? 'mpp_expired' : undefined,
    request !== null && intent === 'subscription' ? periodFault(request) : undefined,
    request !== null && atomic !== undefined ? splitsFault(method, request, atomic, terms) : undefined,
    atomic !== undefined && decimals !== null && isImplausible(atomic, decimals) ? 'price_implausible' : undefined,
  ];
  return {
    terms,
    amount,
    // A session's amount may be per unit, so it is not the price of this call.
    amountUsd: atomic === undefined || decimals === null || intent === 'session' ? null : usdOf(atomic, decimals),
    currency: text(member(request ?? {}, 'currency')) ?? null,
    recipient: text(member(request ?? {}, 'recipient')) ?? null,
    reasons: [...new Set(reasons.filter((reason) => reason !== undefined))],
  };
}

/** A subscription states its period (draft-payment-intent-subscription). */
function periodFault(request: JsonObject): string | undefined {
  const count = scalar(member(request, 'periodCount')) ?? '';
  const isCounted = /^[1-9]\d{0,19}$/.test(count) && text(member(request, 'periodUnit')) !== undefined;
  return isCounted ? undefined : 'mpp_period_missing';
}

/** Methods that transfer tokens need a known token on a known network; SOL itself is known but has no dollar price. */
function assetUnknown(method: string | null, terms: MppTerms | undefined): boolean {
  if (!terms || terms.missing.includes('mpp_currency_missing')) return false;
  if (method === 'nearintents') return true;
  if (method === 'usdc') return terms.network !== undefined && terms.symbol === null;
  if (!terms.network || terms.token) return false;
  return isTokenMethod(method ?? '') && terms.symbol !== 'SOL';
}

function hasExpired({ expires, answer }: MppChallenge): boolean {
  if (expires === null) return false;
  const at = Date.parse(expires);
  return !Number.isNaN(at) && at + CLOCK_SKEW_MS < Date.parse(answer.observedAt);
}
