import { list, member, text, type JsonObject, type JsonValue } from '../json';
import { isEvmAddress, isSolanaKey } from './addresses';
import { networkById, type Network } from './networks';
import { tokenAt, type Token } from './tokens';

/** What the request of a challenge says, read by the rules of its payment method. */
export interface MppTerms {
  /** CAIP-2 id where the method has one, otherwise the network as stated. */
  readonly networkId: string | null;
  readonly network: Network | undefined;
  readonly token: Token | undefined;
  /** Symbol or currency code for a reader. */
  readonly symbol: string | null;
  /** Decimals that turn the amount into dollars; null when it is not a dollar amount. */
  readonly usdDecimals: number | null;
  /** The currency is written in a way this method does not define, so its unit is unclear. */
  readonly currencyUnexpected: boolean;
  /** Codes of what the method demands and the request lacks. */
  readonly missing: readonly string[];
}

interface Stated {
  readonly currency: string;
  readonly recipient: string;
  readonly details: JsonValue | undefined;
}

type Method = (stated: Stated) => MppTerms;

const NOTHING: MppTerms = {
  networkId: null,
  network: undefined,
  token: undefined,
  symbol: null,
  usdDecimals: null,
  currencyUnexpected: false,
  missing: [],
};

/** Tempo's default when a request names no chain is its test network (draft-tempo-charge). */
const TEMPO_DEFAULT_CHAIN = 42_431;

const SOLANA_NETWORKS: Readonly<Record<string, string>> = {
  mainnet: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'mainnet-beta': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  devnet: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  testnet: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
};

/** Rules per method, from the method drafts at https://github.com/tempoxyz/mpp-specs/tree/main/specs/methods. */
const METHODS: Readonly<Record<string, Method>> = {
  tempo: (stated) => onEvm(stated, chainOf(stated.details) ?? TEMPO_DEFAULT_CHAIN),
  evm: (stated) => onEvm(stated, chainOf(stated.details)),
  solana: onSolana,
  stripe: (stated) => fiat(stated, ['networkId', 'paymentMethodTypes']),
  card: (stated) => fiat(stated, ['acceptedNetworks', 'encryptionJwk'], true),
  lightning: onLightning,
  nearintents: ({ currency }) => ({
    ...NOTHING,
    symbol: currency,
    missing: currency === '' ? ['mpp_currency_missing'] : [],
  }),
  usdc: ({ details }) => ({
    ...NOTHING,
    symbol: 'USDC',
    usdDecimals: 6,
    missing: details === undefined ? ['mpp_details_missing'] : [],
  }),
};

/** Reads a request by its method's rules, or undefined for a method we have none for. */
export function mppTerms(method: string, request: JsonObject): MppTerms | undefined {
  const rules = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  return rules?.({
    currency: text(member(request, 'currency')) ?? '',
    recipient: text(member(request, 'recipient')) ?? '',
    details: member(request, 'methodDetails'),
  });
}

function chainOf(details: JsonValue | undefined): number | undefined {
  const chain = member(details, 'chainId');
  return typeof chain === 'number' && Number.isSafeInteger(chain) && chain > 0 ? chain : undefined;
}

function onEvm({ currency, recipient }: Stated, chain: number | undefined): MppTerms {
  const networkId = chain === undefined ? null : `eip155:${chain}`;
  const token = networkId === null ? undefined : tokenAt(networkId, currency);
  return {
    ...NOTHING,
    networkId,
    network: networkId === null ? undefined : networkById(networkId),
    token,
    symbol: token?.symbol ?? null,
    usdDecimals: token?.decimals ?? null,
    missing: [
      ...(currency === '' ? ['mpp_currency_missing'] : []),
      ...(isEvmAddress(recipient) ? [] : ['mpp_recipient_invalid']),
      ...(networkId === null ? ['mpp_chain_missing'] : []),
    ],
  };
}

function onSolana({ currency, recipient, details }: Stated): MppTerms {
  const stated = text(member(details, 'network')) ?? 'mainnet';
  const networkId = Object.hasOwn(SOLANA_NETWORKS, stated) ? (SOLANA_NETWORKS[stated] ?? null) : null;
  const token = networkId === null ? undefined : tokenAt(networkId, currency);
  return {
    ...NOTHING,
    networkId: networkId ?? stated,
    network: networkId === null ? undefined : networkById(networkId),
    token,
    symbol: currency === 'sol' ? 'SOL' : (token?.symbol ?? null),
    usdDecimals: token?.decimals ?? null,
    missing: [
      ...(currency === '' ? ['mpp_currency_missing'] : []),
      ...(isSolanaKey(recipient) ? [] : ['mpp_recipient_invalid']),
    ],
  };
}

/** Minor units of an ISO 4217 currency; only dollars become dollars, there is no exchange rate in evidence. */
function fiat({ currency, recipient, details }: Stated, demanded: readonly string[], payee = false): MppTerms {
  return {
    ...NOTHING,
    symbol: currency === '' ? null : currency.toUpperCase(),
    usdDecimals: currency.toLowerCase() === 'usd' ? 2 : null,
    currencyUnexpected: currency !== '' && !/^[A-Za-z]{3}$/.test(currency),
    missing: [
      ...(currency === '' ? ['mpp_currency_missing'] : []),
      ...(payee && recipient === '' ? ['mpp_recipient_missing'] : []),
      ...(demanded.every((name) => isStated(member(details, name))) ? [] : ['mpp_details_missing']),
    ],
  };
}

/** Satoshis, currency `sat`: another word leaves open whether the amount counts satoshis or coins. */
function onLightning({ currency, details }: Stated): MppTerms {
  const stated = text(member(details, 'network')) ?? 'mainnet';
  return {
    ...NOTHING,
    networkId: `lightning:${stated}`,
    network: { caip2: `lightning:${stated}`, name: `Lightning ${stated}`, testnet: stated !== 'mainnet' },
    symbol: 'BTC',
    currencyUnexpected: currency !== '' && currency !== 'sat',
    missing: [
      ...(currency === '' ? ['mpp_currency_missing'] : []),
      ...(text(member(details, 'invoice')) === undefined ? ['mpp_details_missing'] : []),
    ],
  };
}

function isStated(value: JsonValue | undefined): boolean {
  const items = list(value);
  return items ? items.length > 0 : value !== undefined && value !== null && value !== '';
}
