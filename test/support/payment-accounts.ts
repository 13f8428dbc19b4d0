import { sha512_256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { getAddress } from 'viem';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex');

function base58(value: Uint8Array): string {
  let number = BigInt(`0x${hex(value)}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = BASE58.charAt(Number(number % 58n)) + text;
  const zeros = value.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? value.length : zeros) + text;
}

function base32(value: Uint8Array): string {
  const bits = Array.from(value, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32.charAt(parseInt(five.padEnd(5, '0'), 2))).join('');
}

function crc(value: Uint8Array): number {
  return value.reduce((sum, byte) => {
    let shifted = sum ^ (byte << 8);
    for (let i = 0; i < 8; i += 1) shifted = shifted & 0x8000 ? (shifted << 1) ^ 0x1021 : shifted << 1;
    return shifted & 0xffff;
  }, 0);
}

/** A Stellar key with the version byte for its first letter. */
const strkey = (version: number, length: number) =>
  bytes(length).map((payload) => {
    const body = Uint8Array.from([version, ...payload]);
    return base32(Uint8Array.from([...body, crc(body) & 0xff, crc(body) >> 8]));
  });

/** Accounts of each namespace with payments, as their owners would write them. */
export const ACCOUNTS = {
  eip155: bytes(20).map((value) => getAddress(`0x${hex(value)}`)),
  solana: bytes(32).map(base58),
  stellar: fc.oneof(strkey(6 << 3, 32), strkey(2 << 3, 32), strkey(12 << 3, 40)),
  algorand: bytes(32).map((key) => base32(Uint8Array.from([...key, ...sha512_256(key).slice(-4)]))),
  aptos: bytes(32).map((value) => `0x${hex(value)}`),
  hedera: fc.bigInt({ min: 1_000n, max: (1n << 63n) - 1n }).map((number) => `0.0.${number}`),
} as const;

export type Namespace = keyof typeof ACCOUNTS;

export const NAMESPACES = Object.keys(ACCOUNTS) as readonly Namespace[];

/** Each text that differs in one character from the given one, using the characters of the alphabet. */
export const mistyped = (text: string, alphabet: string) =>
  fc
    .tuple(fc.nat(text.length - 1), fc.constantFrom(...Array.from(alphabet)))
    .filter(([at, char]) => text.charAt(at) !== char)
    .map(([at, char]) => text.slice(0, at) + char + text.slice(at + 1));
