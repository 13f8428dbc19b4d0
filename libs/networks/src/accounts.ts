import { base58 } from '@scure/base';
import { isAlgorandAddress, isHederaId, isStellarAccount } from './checked-accounts';

/** `0x` and 40 hexadecimal digits, in any case. */
export function isEvmAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/** Whether a text is a Solana public key: base58 (Bitcoin alphabet) of exactly 32 bytes. */
export function isSolanaKey(text: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && base58.decode(text).length === 32;
}

/** The rules for all networks of one CAIP-2 namespace, including networks without a row. */
interface Family {
  /** Whether a text is an account that can receive payments on the network. */
  readonly isAccount: (text: string, network: string) => boolean;
  /** Well-formed accounts without an owner: money sent there cannot be spent again. */
  readonly lost: readonly RegExp[];
}

/** The rules of accounts, by the namespace of CAIP-2 ids. */
const FAMILIES: ReadonlyMap<string, Family> = new Map<string, Family>([
  [
    'eip155',
    {
      isAccount: isEvmAddress,
      // Precompiles and common burn addresses.
      lost: [/^0x0{38}[0-9a-f]{2}$/i, /^0x0{36}dead$/i, /^0x(?:dead){10}$/i, /^0xdead0{32}(?:beef|dead|0000)$/i],
    },
  ],
  // The system program and the incinerator.
  ['solana', { isAccount: isSolanaKey, lost: [/^1{32}$/, /^1nc1nerator1{32}$/] }],
  ['stellar', { isAccount: isStellarAccount, lost: [/^[GMC]A{51}/] }],
  ['algorand', { isAccount: isAlgorandAddress, lost: [/^A{51}/] }],
  // Short addresses are not allowed; addresses below 16 belong to the framework.
  ['aptos', { isAccount: (text) => /^0x[0-9a-fA-F]{64}$/.test(text), lost: [/^0x0{63}[0-9a-f]$/i] }],
  [
    'hedera',
    {
      // An account may also be written as its EVM address.
      isAccount: (text, network) => isHederaId(text, network) || isEvmAddress(text),
      lost: [],
    },
  ],
  ['cloudflare', { isAccount: () => true, lost: [] }], // a role such as `merchant`
]);

const LOST = [...FAMILIES.values()].flatMap(({ lost }) => lost);

/** Namespaces with an x402 draft but without rules here; challenges for them are not checked. */
const UNJUDGED: ReadonlySet<string> = new Set(
  (
    'atto bip122 bsv canton cardano casper concordium galachain hive hyperliquid keeta lightning nano near radix ' +
    'stacks starknet sui thru ton tron tvm xahau xrpl zcash'
  ).split(' '),
);

/** The part of a CAIP-2 id before the colon; empty for an invalid id. */
export function namespaceOf(caip2: string): string {
  return caip2.slice(0, Math.max(0, caip2.indexOf(':')));
}

/** Whether a text has the format of an account of a network; undefined if we do not know the format. */
export function isAccount(text: string, network: string): boolean | undefined {
  return FAMILIES.get(namespaceOf(network))?.isAccount(text, network);
}

/** Whether money sent to an account of any network is lost. */
export function isUnspendable(account: string): boolean {
  return LOST.some((pattern) => pattern.test(account));
}

/** Whether the namespace of a network has payments that we cannot check. */
export function isUnjudged(network: string): boolean {
  return UNJUDGED.has(namespaceOf(network));
}
