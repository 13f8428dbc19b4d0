import { tokenAt } from '@app/networks';
import { isObject, text } from '../../formats/json';
import { parseUrl } from '../../formats/parse-url';
import type { X402Challenge } from '../x402-challenge';
import { amountOf, isPermit2, networkOf, offersOf, optionsOf, stated, type Client, type Offer } from './client';
import { fits, isKey, isLooseAddress, isText, isWhole, matches, optional, word, type Holds } from './values';

/** Its USDC by network, in its own spelling; the client prefers it to earlier options. */
export const USDC: Readonly<Record<string, string>> = {
  'base-sepolia': '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  base: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'avalanche-fuji': '0x5425890298aed601595a70AB815c96711a31Bc65',
  avalanche: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
  iotex: '0xcdf79194c6c285077a58da47641d4dbe51f63542',
  'sei-testnet': '0x4fcf1784b31630811181f670aea7a7bef803eaed',
  sei: '0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392',
  polygon: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  'polygon-amoy': '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
  peaq: '0xbbA60da06c2c5424f03f7434542280FCAd453d10',
  abstract: '0x84a71ccd554cc1b02749b35d22f684cc8ec987e1',
  'abstract-testnet': '0xe4C7fBB0a626ed208021ccabA6Be1566905E2dFc',
  story: '0xF1815bd50389c46847f0Bda824eC8da914045D14',
  educhain: '0x12a272A581feE5577A5dFa371afEB4b2F3a8C2F8',
  'skale-base-sepolia': '0x2e08028E3C4c2356572E096d8EF835cD5C6030bD',
  solana: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'solana-devnet': '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};
const SOLANA_IDS: Readonly<Record<string, string>> = {
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana-devnet': 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
};

const isAmount: Holds = (value) => typeof value === 'string' && Number.isInteger(Number(value)) && Number(value) >= 0;
const isOptionalRecord = optional(isObject);
const isAccount: Holds = (value) => isLooseAddress(value) || /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text(value) ?? '');
/**
 * Its pattern is only anchored at the end, so it also accepts other text. Matched from the end, it takes linear time.
 */
const isAsset: Holds = (value) => {
  if (typeof value !== 'string') return false;
  const fromEnd = value.slice(-36).split('').toReversed().join('');
  return /^0x[a-fA-F0-9]{40}/.test(value) || /^[A-Za-z0-9][A-Za-z0-9-]{0,34}[A-Za-z0-9]/.test(fromEnd);
};

const SCHEMA: Readonly<Record<string, Holds>> = {
  scheme: (value) => value === 'exact',
  network: (value) => typeof value === 'string' && Object.hasOwn(USDC, value),
  maxAmountRequired: isAmount,
  resource: (value) => typeof value === 'string' && parseUrl(value) !== undefined,
  description: isText,
  mimeType: isText,
  outputSchema: isOptionalRecord,
  payTo: isAccount,
  maxTimeoutSeconds: isWhole,
  asset: isAsset,
  extra: isOptionalRecord,
};

/** It reads the body of any version, and one invalid option stops it. */
function reads({ body }: X402Challenge): readonly Offer[] | string {
  const options = body ? optionsOf(body) : [];
  if (!body || options.length === 0) return 'challenge_unread';
  return options.every((option) => matches(option, SCHEMA)) ? offersOf(body, 1) : 'schema_unmet';
}

const solanaId = (offer: Offer): string | undefined => SOLANA_IDS[networkOf(offer)];
const onSolana = (offer: Offer): boolean => solanaId(offer) !== undefined;
const onEvm = (offer: Offer): boolean => !onSolana(offer);

/** `x402-fetch`, the client of version 1. */
export const FIRST_VERSION: Client = {
  name: 'x402-fetch',
  version: '1.2',
  namespaces: ['eip155', 'solana'],
  reads,
  choice: [],
  prefers: (offer) => USDC[networkOf(offer)] === stated(offer, 'asset'),
  signing: [
    { reason: 'transfer_method_unspoken', stops: (offer) => onEvm(offer) && isPermit2(offer) },
    { reason: 'amount_invalid', stops: (offer) => !fits(amountOf(offer), onSolana(offer) ? 64 : 256) },
    { reason: 'payto_invalid', stops: (offer) => onEvm(offer) && !isLooseAddress(stated(offer, 'payTo')) },
    { reason: 'asset_invalid', stops: (offer) => onEvm(offer) && !isLooseAddress(stated(offer, 'asset')) },
    // It signs without name or version, which no token accepts.
    {
      reason: 'domain_missing',
      stops: ({ extra, ...offer }) =>
        onEvm({ extra, ...offer }) && ['name', 'version'].some((name) => text(extra[name]) === undefined),
    },
    { reason: 'payto_invalid', stops: (offer) => onSolana(offer) && !isKey(stated(offer, 'payTo')) },
    {
      reason: 'asset_unknown',
      stops: (offer) => onSolana(offer) && !tokenAt(solanaId(offer) ?? '', word(stated(offer, 'asset'))),
    },
    { reason: 'fee_payer_missing', stops: (offer) => onSolana(offer) && !isKey(offer.extra['feePayer']) },
  ],
};
