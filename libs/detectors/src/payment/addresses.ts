import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * Whether an EVM address has a valid EIP-55 checksum (https://eips.ethereum.org/EIPS/eip-55). All-lower and all-upper
 * addresses have no checksum and are valid.
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

/** Text an author forgot to replace, such as `YOUR_WALLET_ADDRESS` or `{{PAY_TO}}`. */
export function isPlaceholder(text: string): boolean {
  return /your[_\- ]?(?:wallet|address|pay)|^<.*>$|\{\{|^0x(?:\.\.\.|…|x+$)|placeholder|changeme|^todo$/i.test(
    text.slice(0, 200),
  );
}
