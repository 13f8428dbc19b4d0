import type { Answer } from '../../evidence/exchange';
import { isObject, list, member, type JsonObject, type JsonValue } from '../../formats/json';
import { readMppChallenges, type MppChallenge } from '../mpp-challenge';
import { bigOf, fits, isLooseAddress, isStrictAddress, isTruthy } from './values';
import { first, type ClientAnswer, type Rule as StopRule } from './client';

type Rule = StopRule<MppChallenge>;

const NAME = { name: 'mppx', versions: ['0.11'] } as const;

/** Payment methods that it can sign, with the intent `charge`. */
const METHODS = ['tempo', 'evm', 'stripe'];

const asked = ({ request }: MppChallenge, name: string): JsonValue | undefined => member(request ?? undefined, name);
const detail = (challenge: MppChallenge, name: string): JsonValue | undefined =>
  member(asked(challenge, 'methodDetails'), name);
const filled = (challenge: MppChallenge, name: string): boolean => (list(detail(challenge, name)) ?? []).length > 0;
const isOf = (method: string, { reason, stops }: Rule): Rule => ({
  reason,
  stops: (challenge) => challenge.method === method && stops(challenge),
});

/** Challenges that it cannot parse; one of them stops all of the answer. */
const PARSING: Rule = {
  reason: 'challenge_unread',
  stops: ({ faults, warnings }) => faults.length > 0 || warnings.includes('mpp_request_raw_json'),
};

/** Challenges that it skips. */
const CHOICE: Rule = {
  reason: 'method_unspoken',
  stops: ({ method, intent }) => !METHODS.includes(method ?? '') || intent !== 'charge',
};

const AMOUNT: Rule = { reason: 'amount_invalid', stops: (challenge) => !fits(asked(challenge, 'amount'), 256) };
const SIGNING: readonly Rule[] = [
  {
    reason: 'expired',
    stops: ({ expires, answer }) => expires !== null && Date.parse(expires) < Date.parse(answer.observedAt),
  },
  isOf('tempo', AMOUNT),
  isOf('tempo', {
    reason: 'network_unspoken',
    stops: (challenge) =>
      ![undefined, null, 4_217, 42_431].includes(detail(challenge, 'chainId') as number | undefined),
  }),
  isOf('tempo', {
    reason: 'recipient_invalid',
    stops: (challenge) => !isFree(challenge) && !isStrictAddress(asked(challenge, 'recipient')),
  }),
  isOf('tempo', {
    reason: 'asset_invalid',
    stops: (challenge) => !isFree(challenge) && !isStrictAddress(asked(challenge, 'currency')),
  }),
  isOf('tempo', {
    reason: 'splits_invalid',
    stops: (challenge) =>
      amountOfSplits(challenge) >= (bigOf(asked(challenge, 'amount')) ?? 0n) ||
      splitsOf(challenge).some((split) => !isStrictAddress(member(split, 'recipient'))),
  }),
  isOf('evm', AMOUNT),
  isOf('evm', {
    reason: 'transfer_method_unspoken',
    stops: (challenge) => list(detail(challenge, 'credentialTypes'))?.includes('authorization') !== true,
  }),
  isOf('evm', { reason: 'splits_unspoken', stops: (challenge) => filled(challenge, 'splits') }),
  isOf('evm', { reason: 'recipient_invalid', stops: (challenge) => !isLooseAddress(asked(challenge, 'recipient')) }),
  isOf('evm', { reason: 'asset_invalid', stops: (challenge) => !isStrictAddress(asked(challenge, 'currency')) }),
  isOf('evm', { reason: 'network_unspoken', stops: (challenge) => !Number.isInteger(detail(challenge, 'chainId')) }),
  isOf('stripe', { reason: 'details_missing', stops: (challenge) => !isTruthy(detail(challenge, 'networkId')) }),
  isOf('stripe', {
    reason: 'details_invalid',
    stops: (challenge) => isTruthy(member(detail(challenge, 'metadata'), 'externalId')),
  }),
];

/** For a free challenge it only proves its address. */
function isFree(challenge: MppChallenge): boolean {
  return bigOf(asked(challenge, 'amount')) === 0n;
}

const splitsOf = (challenge: MppChallenge): readonly JsonObject[] =>
  (list(detail(challenge, 'splits')) ?? []).filter(isObject);

/** Negative if there are no splits. */
function amountOfSplits(challenge: MppChallenge): bigint {
  const splits = splitsOf(challenge);
  return splits.reduce((sum, split) => sum + (bigOf(split['amount']) ?? 0n), splits.length === 0 ? -1n : 0n);
}

/**
 * Whether the released MPP client can pay a challenge (behaviour 6.8). It is not listed for unsupported methods, nor
 * for sessions and subscriptions, which need a chain for signing.
 */
export function mppClients(challenge: MppChallenge): readonly ClientAnswer[] {
  if (CHOICE.stops(challenge)) return [];
  const reason = stopOf(challenge);
  return [reason === undefined ? { ...NAME, pays: true } : { ...NAME, pays: false, reason }];
}

function stopOf(challenge: MppChallenge): string | undefined {
  const all = readMppChallenges(challenge.answer);
  if ([challenge, ...all].some(PARSING.stops)) return PARSING.reason;
  const own = first(SIGNING, challenge);
  if (own !== undefined) return own;
  return failsFirst(challenge.answer) ? 'earlier_option_fails' : undefined;
}

/** Whether the client selects a challenge of an answer that it then cannot sign; it does not try another one. */
export function failsFirst(answer: Answer): boolean {
  const chosen = readMppChallenges(answer).find((other) => !CHOICE.stops(other));
  return chosen !== undefined && first(SIGNING, chosen) !== undefined;
}
