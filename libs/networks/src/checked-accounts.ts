import { sha512_256 } from '@noble/hashes/sha2.js';
import { base32nopad } from '@scure/base';

/** Accounts with a checksum, so that a typo makes them invalid. */

/** The first byte of a Stellar key by its first letter: account, muxed account, contract (SEP-23). */
const STELLAR_VERSIONS: Readonly<Record<string, number>> = { G: 6 << 3, M: 12 << 3, C: 2 << 3 };

/** Whether a text is a Stellar account (`G`, `M`) or contract (`C`) with a valid CRC-16 (SEP-23). */
export function isStellarAccount(text: string): boolean {
  if (!/^(?:[GC][A-Z2-7]{55}|M[A-Z2-7]{68})$/.test(text)) return false;
  const bytes = fromBase32(text);
  if (!bytes || bytes[0] !== STELLAR_VERSIONS[text.charAt(0)]) return false;
  const [low = 0, high = 0] = bytes.slice(-2);
  return crc16(bytes.slice(0, -2)) === ((high << 8) | low);
}

/** Whether a text is a Stellar contract, which identifies a token there. */
export function isStellarContract(text: string): boolean {
  return text.startsWith('C') && isStellarAccount(text);
}

/** Whether a text is an Algorand address: a public key and the last 4 bytes of its SHA-512/256, in base32. */
export function isAlgorandAddress(text: string): boolean {
  const bytes = /^[A-Z2-7]{58}$/.test(text) ? fromBase32(text) : undefined;
  if (!bytes) return false;
  const due = sha512_256(bytes.slice(0, 32)).slice(-4);
  return due.every((byte, index) => byte === bytes[32 + index]);
}

/** The ledger ids that account checksums depend on (HIP-15). */
const HEDERA_LEDGERS: ReadonlyMap<string, number> = new Map([
  ['hedera:mainnet', 0],
  ['hedera:testnet', 1],
  ['hedera:previewnet', 2],
]);

const MAX_HEDERA_NUMBER = (1n << 63n) - 1n;

/**
 * Whether a text is the id of a Hedera account or token: `0.0.n`, optionally with its checksum (`0.0.123-vfmkw`), which
 * differs between networks.
 */
export function isHederaId(text: string, network: string): boolean {
  const match = /^(0\.0\.([1-9]\d{0,18}))(?:-([a-z]{5}))?$/.exec(text);
  if (!match || BigInt(match[2] ?? '0') > MAX_HEDERA_NUMBER) return false;
  const ledger = HEDERA_LEDGERS.get(network);
  return match[3] === undefined || (ledger !== undefined && match[3] === hederaChecksum(match[1] ?? '', ledger));
}

/** The five letters of the checksum of an id `0.0.n`, https://hips.hedera.com/hip/hip-15. */
function hederaChecksum(id: string, ledger: number): string {
  const digits = Array.from(id, (char) => (char === '.' ? 10 : Number(char)));
  const sum = (at: number) => digits.filter((_, index) => index % 2 === at).reduce((a, b) => a + b, 0) % 11;
  const weighed = digits.reduce((value, digit) => (31 * value + digit) % 26 ** 3, 0);
  const ofLedger = [ledger, 0, 0, 0, 0, 0, 0].reduce((value, byte) => (31 * value + byte) % 26 ** 5, 0);
  const mixed = (((id.length % 5) * 11 + sum(0)) * 11 + sum(1)) * 26 ** 3 + weighed + ofLedger;
  let rest = ((mixed % 26 ** 5) * 1_000_003) % 26 ** 5;
  let letters = '';
  for (let i = 0; i < 5; i += 1) {
    letters = String.fromCharCode(97 + (rest % 26)) + letters;
    rest = Math.floor(rest / 26);
  }
  return letters;
}

/** Decodes base32 without padding (RFC 4648); undefined if unused bits are set. */
function fromBase32(text: string): Uint8Array | undefined {
  try {
    return base32nopad.decode(text);
  } catch {
    return undefined;
  }
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}
