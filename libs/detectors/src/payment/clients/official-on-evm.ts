import { isUnspendable } from '@app/networks';
import { text, type JsonValue } from '../../formats/json';
import { ESCROWS } from '../x402-schemes';
import { amountOf, GATEWAY, isPermit2, networkOf, stated, type Client, type Rule } from './client';
import { address, choiceOf, isAuthorization, member, only, reads } from './official';
import { fits, isAddable, isLooseAddress, isStrictAddress, isTruthy, word } from './values';

const AMOUNT: Rule = { reason: 'amount_invalid', stops: (offer) => !fits(amountOf(offer), 256) };
const TIMEOUT: Rule = { reason: 'timeout_invalid', stops: (offer) => !isAddable(stated(offer, 'maxTimeoutSeconds')) };
const DOMAIN: Rule = {
  reason: 'domain_missing',
  stops: ({ extra }) => ['name', 'version'].some((name) => text(extra[name]) === undefined),
};
/** A Permit2 transfer is signed under the domain of Permit2. */
const DOMAIN_OF_TRANSFER: Rule = { ...DOMAIN, stops: (offer) => !isPermit2(offer) && DOMAIN.stops(offer) };

const isOwned = (value: JsonValue | undefined) => isLooseAddress(value) && !isUnspendable(word(value));
const isNumber = (bits: number) => (value: JsonValue | undefined) => typeof value === 'number' && fits(value, bits);
/** Seconds in 40 bits; the client uses the minimum if the value is not a number. */
const isDelay = (value: JsonValue | undefined) => typeof value !== 'number' || fits(value, 40);
const isMethod = (value: JsonValue | undefined) =>
  value === undefined || value === null || value === 'eip3009' || value === 'permit2';

const SIGNING: readonly Rule[] = [
  {
    reason: 'network_unspoken',
    stops: (offer) => offer.version === 2 && !/^eip155:\d+$/.test(networkOf(offer)),
  },
  GATEWAY,
  AMOUNT,
  TIMEOUT,
  address('payTo', isLooseAddress),
  address('asset', isLooseAddress),
  // Version 1 has no Permit2: its clients sign an EIP-3009 transfer, which the option does not accept.
  { reason: 'transfer_method_unspoken', stops: (offer) => offer.version === 1 && isPermit2(offer) },
  only('exact', DOMAIN_OF_TRANSFER),
  only('upto', member('facilitatorAddress', isLooseAddress, 'facilitator_address_missing')),
  ...[
    DOMAIN_OF_TRANSFER,
    member('receiverAuthorizer', isOwned),
    member('withdrawDelay', isDelay),
    member('assetTransferMethod', isMethod, 'transfer_method_unspoken'),
    address('payTo', isStrictAddress),
    address('asset', isStrictAddress),
  ].map((rule) => only('batch-settlement', rule)),
  ...[
    DOMAIN,
    member('captureAuthorizer', isStrictAddress),
    member('feeRecipient', isStrictAddress),
    member('captureDeadline', isNumber(48)),
    member('refundDeadline', isNumber(48)),
    member('minFeeBps', isNumber(16)),
    member('maxFeeBps', isNumber(16)),
    { ...TIMEOUT, stops: (offer) => typeof stated(offer, 'maxTimeoutSeconds') !== 'number' } satisfies Rule,
    address('payTo', isStrictAddress),
    address('asset', isStrictAddress),
  ].map((rule) => only('auth-capture', rule)),
];

/**
 * If the option states the escrow contract, the signature must be for that one; otherwise each release uses its own.
 */
const escrow = (...known: readonly string[]): Rule =>
  only('auth-capture', {
    reason: 'escrow_contract_unknown',
    stops: ({ extra: { authCaptureEscrow: stated } }) =>
      isTruthy(stated) && !known.includes(word(stated).toLowerCase()),
  });

const NAMED =
  'ethereum sepolia abstract abstract-testnet base-sepolia base avalanche-fuji avalanche iotex sei sei-testnet polygon polygon-amoy peaq story educhain skale-base-sepolia megaeth monad';
const LATER = `${NAMED} stable stable-testnet`;

/** Release, its schemes, its version 1 network names, and its other rules. */
const RELEASES = [
  ['2.5', 'exact', NAMED, []],
  ['2.11', 'exact upto', LATER, []],
  // It always signs for the first escrow.
  ['2.20', 'exact upto batch-settlement auth-capture', LATER, [escrow(ESCROWS[0])]],
  ['2.27', 'exact upto batch-settlement auth-capture', `${LATER} celo flare`, [escrow(...ESCROWS)]],
] as const;

/** `@x402/fetch` with `@x402/evm` of the same release. */
export const OFFICIAL_ON_EVM: readonly Client[] = RELEASES.map(([version, schemes, names, others]) => ({
  name: '@x402/fetch',
  version,
  namespaces: ['eip155'],
  reads,
  choice: choiceOf(/^eip155:/, names, schemes, version),
  signing: [...SIGNING, ...others],
  ...(version === '2.27' ? { prefers: isAuthorization } : {}),
}));
