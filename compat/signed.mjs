// A signature alone proves no payment: some clients sign a transfer that differs from the option.
import { EVM_NETWORK_CHAIN_ID_MAP } from '@x402/evm-2.27/v1';
import { getAddress, recoverTypedDataAddress } from 'viem';
import { TOKENS } from './sound.mjs';

const STRAY = 'refuses: signs under no domain of the token';

const TRANSFER = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
];

/** EIP-712 domains of tokens that some clients know themselves. They count if an option has none. */
const KNOWN_DOMAINS = [
  { name: 'USD Coin', version: '2' },
  { name: 'USDC', version: '2' },
];

/** Contracts that collect payments for each escrow of `auth-capture`, by EIP-3009 and Permit2 (base/commerce-payments 1.0, 1.1). */
const COLLECTORS = {
  '0xbdea0d1bcc5966192b070fdf62ab4ef5b4420cff': [
    '0x0E3dF9510de65469C4518D7843919c0b8C7A7757',
    '0x992476B9Ee81d52a5BdA0622C333938D0Af0aB26',
  ],
  '0xf96815976523e00e65be8f34ca5e64b4f41eb19c': [
    '0x8612dfdc421f80336cd14E8EF9cb1E765dB5ab88',
    '0xD69831Aed5bfe262067ec4c751f4F830EcdD446e',
  ],
};

/** What is wrong with an x402 payment by EIP-3009 on an EVM network, or undefined. Does not check other payments. */
export async function strayOf(challenge, header) {
  const payment = readPayment(header);
  const { payload } = payment;
  const options = payment.accepted ? [payment.accepted] : optionsOf(challenge, payment);
  const strays = await Promise.all(options.map((option) => strayFrom(option, payload)));
  return strays.every((stray) => stray !== undefined) ? strays[0] : undefined;
}

async function strayFrom(option, payload) {
  if (isOfGateway(option)) return 'refuses: signs for Circle Gateway as for the token';
  // A number is hashed as one byte, which is the domain of no token.
  if ([option?.extra?.name, option?.extra?.version].some(Number.isFinite) && !payload?.permit2Authorization)
    return STRAY;
  if (option?.scheme === 'auth-capture' && isForOtherEscrow(option.extra?.authCaptureEscrow, payload))
    return 'refuses: signs for another escrow';
  if (!payload?.authorization || option?.scheme !== 'exact') return undefined;
  if (option?.extra?.assetTransferMethod === 'permit2') return 'refuses: signs an EIP-3009 transfer, not Permit2';
  const { name, version } = option?.extra ?? {};
  const domains =
    name && version ? [{ name, version }] : KNOWN_DOMAINS.map((known) => ({ ...known, ...option?.extra }));
  for (const domain of domains) if (await signedUnder(domain, option, payload)) return undefined;
  return STRAY;
}

/** Gateway accepts what its own client signs for a deposit. Each of these either moves the token or has no deposit. */
function isOfGateway(option) {
  const { name, version } = option?.extra ?? {};
  return option?.scheme === 'exact' && name === 'GatewayWalletBatched' && version === '1';
}

/** The escrow that each release uses if an option has none. */
function isForOtherEscrow(stated, payload) {
  const collector = payload?.authorization?.to ?? payload?.permit2Authorization?.spender;
  return Boolean(stated) && COLLECTORS[`${stated}`.toLowerCase()]?.includes(collector) !== true;
}

function readPayment(header) {
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  } catch {
    return {};
  }
}

/**
 * The payments that a payload of version 1 may make, wherever the client read the option. The payload names the network. One
 * client uses its own name for the network, but then it also names the asset.
 */
function optionsOf({ body, headers }, { network, asset }) {
  const stated = [headers['payment-required'] ?? []].flat().map((line) => Buffer.from(line, 'base64').toString('utf8'));
  const options = [body, ...stated].flatMap(optionsIn);
  const named = options.filter((option) => option.network === network);
  return named.length > 0 ? named : options.filter((option) => option.asset === asset);
}

function optionsIn(text) {
  try {
    return [JSON.parse(text).accepts ?? []].flat().filter(Boolean);
  } catch {
    return [];
  }
}

async function signedUnder({ name, version }, { asset, network }, { authorization, signature }) {
  const { from, to, nonce, value, validAfter, validBefore } = authorization;
  const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) };
  const message = { from: getAddress(from), to: getAddress(to), value: BigInt(value), ...times, nonce };
  const typed = { types: { TransferWithAuthorization: TRANSFER }, primaryType: 'TransferWithAuthorization', message };
  const domain = { name, version, chainId: chainOf(network), verifyingContract: getAddress(asset) };
  try {
    return (await recoverTypedDataAddress({ ...typed, domain, signature })) === authorization.from;
  } catch {
    return false;
  }
}

function chainOf(network) {
  const [id] = TOKENS.find(([, name]) => name === network) ?? [network];
  return EVM_NETWORK_CHAIN_ID_MAP[network] ?? Number(id.split(':')[1]);
}
