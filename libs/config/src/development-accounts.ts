import { createHash } from 'node:crypto';
import { CHAINS } from '@app/networks';

/**
 * SHA-256 of the private keys of the accounts that hardhat and anvil start with (mnemonic "test test … junk"): money that
 * reaches them is gone within the block.
 */
const KEYS: ReadonlySet<string> = new Set([
  '59891c96881dfbcf7d2ddc270b7813e666694fbbffe8ddd2736bf91c1b0e85d4',
  'bca4c2c0761d850f0c403a699280f70f86ab6659a611ada431019203cd66098f',
  '193ae84c4c9567c25105535802f463f3f8dc420b0ce9a5b57c7931c764e623d6',
  'e25a680eff8baac7b15129a830ecc40211017919d5d32fce8c6b409af753e50f',
  '6718ba8966161cc843e01e8d19f018859e1bcba7f0e8f2c108578b497ac408b7',
  'ac29b3735d1b57180dea890d6321cd27e593723cbe9e227eed8a3fa35945122c',
  '93e372c67f7238faf2dfdc029246b299e88d71937680cbb895fedeb2a262ed19',
  '59ad99d565557cc0968550ed2f5ea5ff5fd1d279324a25d324a531053c9c16a3',
  '2d1831e800ec18fe3e29da2e4357db936efce5b9792d76683d465582f0910db0',
  '25061aad2bb0917814989eb38f95608a744ecb8173fdce329486e8b83086e5f0',
  'ea72a3e7d4937af3e138d48889290ace71d6fa2c9846509efee3ff2483fbc8da',
  'e77b7f2257fe244cec79340345d2044069e5544129acce4947388e67a6b26200',
  '3d10abbc9c3e287bd2c89cd83cf1849b9368352fe9318823bb25cafd0aa23fbd',
  '6503803831c946cdadd00c0116828972f5dcdffa5f2417ea136f75eba8a58859',
  '74f97a55058da1bab0311ae9d2530606fd1aed2612b552886a4163a290633b63',
  'b8acf5d5eb4e7fd0b086cc02be9efbb57ced88c3528e151565341e685753cbee',
  'a9c85ef9ebbbe0685ca5c740e814b69797a557e0bdabd24e7363b2c72fa3f929',
  'c188a572f30c631c29864a510a25759a260e95a52df2f83b89c64436411a5de2',
  'ac70e04ef12b755b829661e0f57bd3349f0f006536b739f154212be4c1a7191f',
  'fd375fcf38ac71dd90e0ff16ae924cd13bd9dd120a8b6135b3e63b87b8ff532f',
]);

/** Addresses of those accounts, in lower case. */
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

/** Addresses without a private key that is known: zero, precompiles and what is burnt. What counts up is an example. */
const KEYLESS = /^0x0{30}|dead$/;

/** Contracts of the token: what they are sent stays there. */
const TOKENS: ReadonlySet<string> = new Set(Object.values(CHAINS).map(({ usdc }) => usdc.address.toLowerCase()));

/** Whether a private key is one that everybody has, or would try first: small numbers, rows and repetitions. */
export function isDevelopmentKey(key: string | undefined): boolean {
  if (key === undefined) return false;
  const hash = createHash('sha256').update(Buffer.from(key.slice(2), 'hex'));
  return isPattern(key) || KEYS.has(hash.digest('hex'));
}

/** Whether what is paid to an address is lost: its key is public or does not exist. */
export function isLostAddress(address: string): boolean {
  const lower = address.toLowerCase();
  return KEYLESS.test(lower) || isPattern(lower) || TOKENS.has(lower) || ADDRESSES.has(lower);
}

/** Digits that follow from nothing before them; 16 random ones have twice as many. */
const SURPRISING = 8;

/** Whether hex is written rather than drawn: mostly digits that repeat, or count up or down, or a short text over and over. */
function isPattern(hex: string): boolean {
  const once = oncePerPeriod(hex.slice(2).toLowerCase());
  const surprising = Array.from(once, (digit, at) => ({ digit, before: once[at - 1] ?? '0' })).filter(
    ({ digit, before }) =>
      Math.abs(Number.parseInt(digit, 16) - Number.parseInt(before, 16)) > 1 &&
      !/^(?:90|09|f0|0f)$/.test(before + digit),
  );
  return surprising.length < SURPRISING;
}

function oncePerPeriod(text: string): string {
  for (let period = 1; period <= text.length / 2; period += 1) {
    if (text.startsWith(text.slice(period))) return text.slice(0, period);
  }
  return text;
}
