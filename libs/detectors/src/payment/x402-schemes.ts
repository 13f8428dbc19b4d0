import { isAccount, isEvmAddress, isHederaId, isSolanaKey, isUnspendable, namespaceOf } from '@app/networks';
import { ownValue, text, type JsonValue } from '../formats/json';
import type { X402Accept } from './x402-accept';

/** Context that a rule may need in addition to the field. */
interface Setting {
  readonly accept: X402Accept;
  /** CAIP-2. */
  readonly network: string;
}

/** A field of `extra` that a scheme requires. */
interface MemberRule {
  readonly name: string;
  readonly holds: (value: JsonValue | undefined, setting: Setting) => boolean;
  /** It may be missing, but must be valid if present. */
  readonly optional?: true;
  /** The reason for an option with an invalid field; by default a general one. */
  readonly reason?: string;
}

/** How a scheme is paid on the networks of one namespace. */
export interface SchemeRules {
  readonly members: readonly MemberRule[];
  /** Allowed values of `extra.assetTransferMethod`, the default first. */
  readonly methods?: readonly string[];
  /** How released clients handle an unknown method: they use the default, or refuse it. */
  readonly otherMethod?: 'refused';
  /** Allowed values of `extra.paymentFlow`. */
  readonly flows: readonly string[];
  /** A warning about requirements other than money in a wallet. */
  readonly needs?: string;
  /** Why no agent can pay it with a wallet alone. */
  readonly closed?: string;
}

const isNumber = (value: JsonValue | undefined, min: number, max: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
const isOwned = (value: JsonValue | undefined) =>
  typeof value === 'string' && isEvmAddress(value) && !isUnspendable(value);
const isKey = (value: JsonValue | undefined) =>
  typeof value === 'string' && isSolanaKey(value) && !isUnspendable(value);
const isStated = (value: JsonValue | undefined) => text(value) !== undefined;

/** SPL Token and Token-2022. */
export const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
];
const MAX_MEMO_BYTES = 256;
const MAX_UINT32 = 2 ** 32 - 1;
const MAX_UINT48 = 2 ** 48 - 1;
/** Fees are in hundredths of a percent. */
const MAX_FEE_BPS = 10_000;

const MEMO: MemberRule = {
  name: 'memo',
  holds: (value) => typeof value === 'string' && new TextEncoder().encode(value).length <= MAX_MEMO_BYTES,
  optional: true,
  reason: 'memo_too_long',
};
const FEE_PAYER: MemberRule = { name: 'feePayer', holds: isKey, reason: 'svm_feepayer_missing' };
const OTHER_FEE_PAYER: MemberRule = {
  name: 'feePayer',
  holds: (value, { network }) => typeof value === 'string' && isAccount(value, network) === true,
  optional: true,
};
const DOMAIN: readonly MemberRule[] = [
  { name: 'name', holds: isStated },
  { name: 'version', holds: isStated },
];
const RECEIVER_KEY: MemberRule = { name: 'receiverAuthorizer', holds: isKey };
const TOKEN_PROGRAM: MemberRule = {
  name: 'tokenProgram',
  holds: (value) => TOKEN_PROGRAMS.includes(text(value) ?? ''),
};
/** 15 minutes to 30 days, in seconds. */
const CHANNEL_DELAY: MemberRule = { name: 'withdrawDelay', holds: (value) => isNumber(value, 900, 2_592_000) };
const deadline = (name: string): MemberRule => ({ name, holds: (value) => isNumber(value, 0, MAX_UINT48) });

const EVM_METHODS = ['eip3009', 'permit2'];

/** The `auth-capture` escrow contracts that released clients know: base/commerce-payments 1.0 and 1.1. */
export const ESCROWS = [
  '0xbdea0d1bcc5966192b070fdf62ab4ef5b4420cff',
  '0xf96815976523e00e65be8f34ca5e64b4f41eb19c',
] as const;

/**
 * The x402 schemes and how to pay them, by network namespace: from specs/schemes of
 * https://github.com/x402-foundation/x402, and the requirements of @x402/evm, @x402/svm, @x402/avm and @x402/stellar
 * for signing.
 */
const SCHEMES: Readonly<Record<string, Readonly<Record<string, SchemeRules>>>> = {
  exact: {
    eip155: { members: [], methods: EVM_METHODS, flows: ['authorization', 'upfront'] },
    solana: { members: [FEE_PAYER, MEMO], flows: ['authorization', 'upfront'] },
    stellar: {
      members: [{ name: 'areFeesSponsored', holds: (value) => value === true, reason: 'fees_not_sponsored' }],
      flows: ['authorization', 'upfront'],
    },
    algorand: { members: [OTHER_FEE_PAYER], flows: ['authorization', 'upfront'] },
    aptos: { members: [OTHER_FEE_PAYER], flows: ['authorization', 'upfront'] },
    hedera: {
      members: [
        {
          name: 'feePayer',
          holds: (value, { accept, network }) =>
            accept.extra['assetTransferMethod'] === 'transferExecutor' || isHederaId(text(value) ?? '', network),
          reason: 'fee_payer_missing',
        },
      ],
      methods: ['cryptoTransfer', 'transferExecutor'],
      otherMethod: 'refused',
      flows: ['authorization', 'upfront'],
    },
  },
  upto: {
    eip155: {
      members: [{ name: 'facilitatorAddress', holds: isOwned, reason: 'facilitator_address_missing' }],
      methods: ['permit2'],
      otherMethod: 'refused',
      flows: ['authorization'],
    },
    solana: {
      members: [
        FEE_PAYER,
        RECEIVER_KEY,
        { name: 'withdrawDelay', holds: (value) => isNumber(value, 1, MAX_UINT32) },
        TOKEN_PROGRAM,
        MEMO,
      ],
      flows: ['escrow'],
    },
  },
  'batch-settlement': {
    eip155: {
      members: [...DOMAIN, { name: 'receiverAuthorizer', holds: isOwned }, CHANNEL_DELAY],
      methods: EVM_METHODS,
      otherMethod: 'refused',
      flows: ['authorization'],
      needs: 'channel_deposit_needed',
    },
    solana: {
      members: [
        FEE_PAYER,
        RECEIVER_KEY,
        CHANNEL_DELAY,
        TOKEN_PROGRAM,
        MEMO,
        { name: 'operator', holds: (value, { accept }) => accept.extra['voucherSigner'] !== 'server' || isKey(value) },
      ],
      flows: ['authorization'],
      needs: 'channel_deposit_needed',
    },
    cloudflare: { members: [], flows: [], closed: 'crawler_account_needed' },
  },
  'auth-capture': {
    eip155: {
      members: [
        ...DOMAIN,
        { name: 'captureAuthorizer', holds: isOwned },
        { name: 'feeRecipient', holds: (value) => isEvmAddress(text(value) ?? '') },
        deadline('captureDeadline'),
        deadline('refundDeadline'),
        { name: 'minFeeBps', holds: (value) => isNumber(value, 0, MAX_FEE_BPS) },
        {
          name: 'maxFeeBps',
          holds: (value, { accept }) => isNumber(value, Number(accept.extra['minFeeBps'] ?? 0), MAX_FEE_BPS),
        },
      ],
      methods: EVM_METHODS,
      flows: ['escrow', 'authorization'],
      needs: 'escrow_client_needed',
    },
  },
};

/** Whether a scheme belongs to x402 on any network. */
export function isScheme(scheme: string | null): boolean {
  return scheme !== null && Object.hasOwn(SCHEMES, scheme);
}

/** How to pay an option with this scheme and network; undefined if the scheme is not defined there. */
export function schemeRules(scheme: string | null, network: string): SchemeRules | undefined {
  return ownValue(ownValue(SCHEMES, scheme ?? '') ?? {}, namespaceOf(network));
}

/** The invalid fields, each with its reason. */
export function memberFaults(
  { members }: SchemeRules,
  setting: Setting,
): readonly { readonly name: string; readonly reason: string }[] {
  return members.flatMap(({ name, holds, optional, reason }) => {
    const value = setting.accept.extra[name];
    const isMissing = value === undefined || value === null;
    if ((isMissing && optional) || holds(value, setting)) return [];
    return [{ name, reason: reason ?? (isMissing ? 'extra_member_missing' : 'extra_member_invalid') }];
  });
}
