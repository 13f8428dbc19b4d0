import { createECDH } from 'node:crypto';
import { CHAINS } from '@app/networks';
import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * The initial accounts of hardhat and anvil (mnemonic "test test … junk"), in lower case. Money sent to them is stolen
 * within the same block.
 */
const ADDRESSES: ReadonlySet<string> = new Set([
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  '0x976ea74026e726554db657fa54763abd0c3a0aa9',
  '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
  '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
  '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
  '0xbcd4042de499d14e55001ccbb24a551f3b954096',
  '0x71be63f3384f5fb98995898a86b02fb2426c5788',
  '0xfabb0ac9d68b0b445fb7357272ff202c5651694a',
  '0x1cbd3b2770909d4e10f157cabc84c7264073c9ec',
  '0xdf3e18d64bc6a983f673ab319ccae4f1a57c7097',
  '0xcd3b766ccdd6ae721141f452c550ca635964ce71',
  '0x2546bcd3c84621e976d8185a91a922ae77ecec30',
  '0xbda5747bfd65f08deb54cb465eb87d40e51b197e',
  '0xdd2fd4581271e230360230f9337d5c0430bf44c0',
  '0x8626f6940e2eb28930efb4cef49b2d1f2c9c1199',
]);

/** Addresses without a known private key: zero, precompiles and burn addresses. Sequential digits are examples. */
const KEYLESS = /^0x0{30}|dead$/;

/** Token contracts: tokens sent to them are lost. */
const TOKENS: ReadonlySet<string> = new Set(Object.values(CHAINS).map(({ usdc }) => usdc.address.toLowerCase()));

/** Whether a private key is public or easy to guess: small numbers, sequences and repetitions. */
export function isDevelopmentKey(key: string | undefined): boolean {
  return key !== undefined && (isPattern(key) || ADDRESSES.has(addressOf(key)));
}

/** The address of a private key; empty for an invalid one. */
function addressOf(key: string): string {
  const curve = createECDH('secp256k1');
  try {
    curve.setPrivateKey(key.slice(2), 'hex');
  } catch {
    return '';
  }
  const point = curve.getPublicKey().subarray(1);
  return `0x${Buffer.from(keccak_256(point).subarray(-20)).toString('hex')}`;
}

/** Whether payments to an address are lost, because its key is public or does not exist. */
export function isLostAddress(address: string): boolean {
  const lower = address.toLowerCase();
  return KEYLESS.test(lower) || isPattern(lower) || TOKENS.has(lower) || ADDRESSES.has(lower);
}

/**
 * The minimum number of digits that do not follow from the previous ones; random hex of 16 digits has twice as many.
 */
const MIN_SURPRISING_DIGITS = 8;

/** Whether hex was typed rather than generated: mostly repeated or sequential digits, or a short text repeated. */
function isPattern(hex: string): boolean {
  const once = oncePerPeriod(hex.slice(2).toLowerCase());
  const surprising = Array.from(once, (digit, at) => ({ digit, before: once[at - 1] ?? '0' })).filter(
    ({ digit, before }) =>
      Math.abs(Number.parseInt(digit, 16) - Number.parseInt(before, 16)) > 1 &&
      !/^(?:90|09|f0|0f)$/.test(before + digit),
  );
  return surprising.length < MIN_SURPRISING_DIGITS;
}

function oncePerPeriod(text: string): string {
  for (let period = 1; period <= text.length / 2; period += 1) {
    if (text.startsWith(text.slice(period))) return text.slice(0, period);
  }
  return text;
}
