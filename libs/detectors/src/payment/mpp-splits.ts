import { isAccount } from '@app/networks';
import { isObject, list, member, text, type JsonObject } from '../formats/json';
import type { MppTerms } from './mpp-terms';
import { atomicAmount } from './usd';

/** Most further recipients of one payment, by method. */
const MAX_SPLITS: Readonly<Record<string, number>> = { tempo: 10, hedera: 9 };

/**
 * What is wrong with the shares of further recipients: too many, one without account or amount, or nothing left for the
 * recipient of the request, which clients do not sign.
 */
export function splitsFault(
  method: string | null,
  request: JsonObject,
  amount: bigint,
  terms: MppTerms | undefined,
): string | undefined {
  const stated = member(request, 'splits') ?? member(member(request, 'methodDetails'), 'splits');
  if (stated === undefined) return undefined;
  const shares = (list(stated) ?? []).map((split) => (isObject(split) ? shareOf(split, terms) : undefined));
  const max = (method !== null && Object.hasOwn(MAX_SPLITS, method) ? MAX_SPLITS[method] : undefined) ?? shares.length;
  const sum = shares.reduce<bigint>((total, share) => total + (share ?? 0n), 0n);
  const sound = shares.length > 0 && shares.length <= max && !shares.includes(undefined) && sum < amount;
  return sound ? undefined : 'mpp_splits_invalid';
}

/** The amount of a share, or undefined when it or its recipient is missing or wrong. */
function shareOf(split: JsonObject, terms: MppTerms | undefined): bigint | undefined {
  const share = atomicAmount(text(member(split, 'amount')) ?? '');
  const recipient = text(member(split, 'recipient')) ?? '';
  const isPayable = recipient !== '' && isAccount(recipient, terms?.networkId ?? '') !== false;
  return isPayable && share !== undefined && share > 0n ? share : undefined;
}
