import { caip2OfV1Name, tokenAt } from '@app/networks';
import type { JsonValue } from '../../formats/json';
import { TOKEN_PROGRAMS } from '../x402-schemes';
import { amountOf, networkOf, schemeOf, stated, type Client, type Offer, type Rule } from './client';
import { address, choiceOf, isAuthorization, member, only, reads } from './official';
import { fits, isKey, isTruthy, word } from './values';

const MAX_MEMO_BYTES = 256;

const memoFits = (value: JsonValue | undefined) =>
  !isTruthy(value) || new TextEncoder().encode(word(value)).length <= MAX_MEMO_BYTES;

/** Seconds in 32 bits. */
const isDelay = (value: JsonValue | undefined) => typeof value === 'number' && value > 0 && fits(value, 32);
/** Without one it reads the chain. */
const isProgram = (value: JsonValue | undefined) => !isTruthy(value) || TOKEN_PROGRAMS.includes(word(value));

/**
 * The client reads the mint from the chain, unless `upto` states the token's program. A token that we do not know is
 * assumed to be missing.
 */
const MINT: Rule = {
  reason: 'asset_unknown',
  stops: (offer) =>
    !(schemeOf(offer) === 'upto' && isTruthy(offer.extra['tokenProgram'])) &&
    tokenAt(idOf(offer), word(stated(offer, 'asset'))) === undefined,
};

const SIGNING: readonly Rule[] = [
  MINT,
  { reason: 'amount_invalid', stops: (offer) => !fits(amountOf(offer), 64) },
  address('payTo', isKey),
  address('asset', isKey),
  member('feePayer', isKey, 'fee_payer_missing'),
  only('upto', member('receiverAuthorizer', isKey)),
  only('upto', member('withdrawDelay', isDelay)),
  only('upto', member('tokenProgram', isProgram)),
];

/** Later releases include the seller's memo in the transaction. */
const MEMO = member('memo', memoFits, 'memo_too_long');

function idOf(offer: Offer): string {
  return offer.version === 1 ? (caip2OfV1Name(networkOf(offer)) ?? '') : networkOf(offer);
}

const RELEASES = [
  ['2.5', 'exact', SIGNING],
  ['2.11', 'exact', [...SIGNING, MEMO]],
  ['2.20', 'exact', [...SIGNING, MEMO]],
  ['2.27', 'exact upto', [...SIGNING, MEMO]],
] as const;

/** `@x402/fetch` with `@x402/svm` of the same release. */
export const OFFICIAL_ON_SOLANA: readonly Client[] = RELEASES.map(([version, schemes, signing]) => ({
  name: '@x402/svm',
  version,
  namespaces: ['solana'],
  reads,
  choice: choiceOf(/^solana:/, 'solana solana-devnet solana-testnet', schemes, version),
  signing,
  ...(version === '2.27' ? { prefers: isAuthorization } : {}),
}));
