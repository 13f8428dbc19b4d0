import type { JsonObject } from '../../formats/json';
import { parseUrl } from '../../formats/parse-url';
import type { X402Challenge } from '../x402-challenge';
import {
  amountOf,
  GATEWAY,
  isPermit2,
  networkOf,
  offersOf,
  optionsOf,
  schemeOf,
  stated,
  type Client,
  type Offer,
} from './client';
import { fits, isKey, isStrictAddress, isText, isWhole, matches, optional, word, type Holds } from './values';

/** The networks and tokens in the tables of `@faremeter/info` 0.22; each token needs its own wallet. */
export const TOKENS: Readonly<Record<string, readonly string[]>> = {
  'eip155:8453': ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  'eip155:84532': ['0x036CbD53842c5426634e7929541eC2318f3dCF7e'],
  'eip155:137': ['0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
  'eip155:80002': ['0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582'],
  'eip155:143': ['0x754704Bc059F8C67012fEd69BC8A327a5aafb603'],
  'eip155:10143': ['0x534b2f3A21130d7a60830c2Df862319e593943A3'],
  'eip155:324705682': ['0x2e08028E3C4c2356572E096d8EF835cD5C6030bD'],
  'eip155:1187947933': ['0x85889c8c714505E0c94b30fcfcF64fE3Ac8FCb20'],
  'eip155:1444673419': ['0x9eAb55199f4481eCD7659540A17Af618766b07C4'],
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': [
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  ],
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': ['4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'],
};

/** The client's network names in x402 version 1. */
const NAMES: Readonly<Record<string, string>> = {
  base: 'eip155:8453',
  'base-sepolia': 'eip155:84532',
  polygon: 'eip155:137',
  'polygon-amoy': 'eip155:80002',
  monad: 'eip155:143',
  'monad-testnet': 'eip155:10143',
  'skale-base-sepolia': 'eip155:324705682',
  'skale-base': 'eip155:1187947933',
  'skale-europa-testnet': 'eip155:1444673419',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana-mainnet-beta': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'mainnet-beta': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana-devnet': 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  devnet: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
};

const isNumeric: Holds = (value) => typeof value === 'string' && /^(?!-0\.?0*$)-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value);
const isHolder: Holds = (value) => typeof value === 'object' && value !== null;
const isUrl: Holds = (value) => typeof value === 'string' && parseUrl(value) !== undefined;

const IN_BOTH = {
  scheme: isText,
  network: isText,
  asset: isText,
  payTo: isText,
  maxTimeoutSeconds: isWhole,
  extra: optional(isHolder),
};
const SECOND: Readonly<Record<string, Holds>> = { ...IN_BOTH, amount: isNumeric };
const FIRST: Readonly<Record<string, Holds>> = {
  ...IN_BOTH,
  maxAmountRequired: isNumeric,
  resource: isUrl,
  description: isText,
  mimeType: optional(isText),
  outputSchema: optional(isHolder),
};
const RESOURCE = { url: isText, description: optional(isText), mimeType: optional(isText) };

/** The client accepts a document completely or not at all. */
function reads({ header, body }: X402Challenge): readonly Offer[] | string {
  if (header === null || header?.flaws.some((flaw) => !['padded', 'unpadded', 'whitespace'].includes(flaw))) {
    return 'challenge_unread';
  }
  const [document, version] = header ? [header.document, 2 as const] : [body, 1 as const];
  if (!document) return 'challenge_unread';
  return isSchema(document, version) ? offersOf(document, version) : 'schema_unmet';
}

function isSchema(document: JsonObject, version: 1 | 2): boolean {
  if (!optional(isText)(document['error']) || !Array.isArray(document['accepts'])) return false;
  const whole =
    version === 1
      ? isWhole(document['x402Version'])
      : document['x402Version'] === 2 &&
        matches(document['resource'], RESOURCE) &&
        optional(isHolder)(document['extensions']);
  return whole && optionsOf(document).every((option) => matches(option, version === 1 ? FIRST : SECOND));
}

/** The CAIP-2 id of the option's network, spelled as in `TOKENS`; the comparison ignores case. */
function idOf(offer: Offer): string | undefined {
  const stated = networkOf(offer);
  const name = offer.version === 1 ? (NAMES[stated] ?? stated) : stated;
  return Object.keys(TOKENS).find((id) => id.toLowerCase() === name.toLowerCase());
}

const onSolana = (offer: Offer): boolean => idOf(offer)?.startsWith('solana:') === true;
const onEvm = (offer: Offer): boolean => !onSolana(offer);

const DOMAIN: Readonly<Record<string, Holds>> = {
  name: optional(isText),
  version: optional(isText),
  chainId: optional((value) => typeof value === 'number'),
  verifyingContract: optional(isText),
};

/**
 * Whether `extra` names another contract or chain. The client always signs for the token's contract on the option's
 * network.
 */
function signsElsewhere(offer: Offer): boolean {
  const { verifyingContract: contract, chainId } = offer.extra;
  const isForeign =
    typeof contract === 'string' && contract.toLowerCase() !== word(stated(offer, 'asset')).toLowerCase();
  return isForeign || (typeof chainId === 'number' && `eip155:${chainId}` !== idOf(offer));
}

/**
 * `@faremeter/fetch` with `@faremeter/payment-evm` and `@faremeter/payment-solana`, which know one or two tokens per
 * network.
 */
export const FAREMETER: Client = {
  name: '@faremeter/fetch',
  version: '0.22',
  namespaces: ['eip155', 'solana'],
  reads,
  choice: [
    { reason: 'scheme_unspoken', stops: (offer) => schemeOf(offer).toLowerCase() !== 'exact' },
    {
      reason: 'asset_unspoken',
      stops: (offer) =>
        !TOKENS[idOf(offer) ?? '']?.some((token) => token.toLowerCase() === word(stated(offer, 'asset')).toLowerCase()),
    },
  ],
  signing: [
    GATEWAY,
    { reason: 'transfer_method_unspoken', stops: (offer) => onEvm(offer) && isPermit2(offer) },
    { reason: 'payto_invalid', stops: (offer) => onEvm(offer) && !isStrictAddress(stated(offer, 'payTo')) },
    { reason: 'payto_invalid', stops: (offer) => onSolana(offer) && !isKey(stated(offer, 'payTo')) },
    { reason: 'asset_invalid', stops: (offer) => onEvm(offer) && !isStrictAddress(stated(offer, 'asset')) },
    { reason: 'domain_invalid', stops: (offer) => onEvm(offer) && !matches(offer.extra, DOMAIN) },
    { reason: 'domain_invalid', stops: (offer) => onEvm(offer) && signsElsewhere(offer) },
    { reason: 'amount_invalid', stops: (offer) => !fits(amountOf(offer), onSolana(offer) ? 64 : 256) },
    { reason: 'fee_payer_missing', stops: (offer) => onSolana(offer) && !isKey(offer.extra['feePayer']) },
    { reason: 'extra_member_invalid', stops: (offer) => onSolana(offer) && !optional(isText)(offer.extra['memo']) },
  ],
};
