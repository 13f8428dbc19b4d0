import { keccak_256 } from '@noble/hashes/sha3.js';

/** `0x` and 40 hexadecimal digits, in any case. */
export function isEvmAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/**
 * Whether an EVM address carries a valid EIP-55 checksum (https://eips.ethereum.org/EIPS/eip-55). All-lower and
 * all-upper addresses state no checksum and pass.
 */
export function checksumHolds(address: string): boolean {
  const digits = address.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  return address === checksummed(address);
}

/** The address with its EIP-55 checksum. */
export function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak_256(new TextEncoder().encode(digits));
  const cased = Array.from(digits, (digit, index) => {
    const byte = hash[index >> 1] ?? 0;
    const nibble = index % 2 === 0 ? byte >> 4 : byte & 0x0f;
    return nibble >= 8 ? digit.toUpperCase() : digit;
  });
  return `0x${cased.join('')}`;
}

/** Addresses that no one can spend from: the zero address and the customary burn address. */
export function isUnspendable(address: string): boolean {
  return /^0x0{40}$/.test(address) || /^0x0{36}dead$/i.test(address);
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Whether a text is a Solana public key: base58 (Bitcoin alphabet) of exactly 32 octets. */
export function isSolanaKey(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return false;
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt(BASE58.indexOf(digit));
  const leadingZeros = /^1*/.exec(text)?.[0].length ?? 0;
  const octets = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2);
  return leadingZeros + octets === 32;
}

/** Text an author forgot to replace, such as `YOUR_WALLET_ADDRESS` or `{{PAY_TO}}`. */
export function isPlaceholder(text: string): boolean {
  return /your[_\- ]?(?:wallet|address|pay)|^<.*>$|\{\{|^0x(?:\.\.\.|…|x+$)|placeholder|changeme|^todo$/i.test(
    text.slice(0, 200),
  );
}
