import { list, member, ownValue, text, type JsonObject, type JsonValue } from '../formats/json';
import { lacking, NOTHING, type MppTerms, type Stated } from './mpp-terms';
import { onEvm, onHedera, onSolana, onStellar, onTempo } from './mpp-tokens';
import { onUsdc } from './mpp-usdc';

type Method = (stated: Stated) => MppTerms;

/** Rules per method, from the drafts at https://github.com/tempoxyz/mpp-specs/tree/main/specs/methods. */
const METHODS: Readonly<Record<string, Method>> = {
  tempo: onTempo,
  evm: (stated) => onEvm(stated),
  solana: onSolana,
  stellar: onStellar,
  hedera: onHedera,
  usdc: onUsdc,
  stripe: (stated) => fiat(stated, { networkId: isWord, paymentMethodTypes: isWords }),
  card: (stated) => fiat(stated, { acceptedNetworks: isWords, encryptionJwk: isStated }, true),
  lightning: onLightning,
  nearintents: ({ currency }) => ({
    ...NOTHING,
    symbol: currency,
    missing: currency === '' ? ['mpp_currency_missing'] : [],
  }),
};

/** Methods that transfer a token of a network; we must know the token. */
const TOKEN_METHODS: ReadonlySet<string> = new Set(['tempo', 'evm', 'solana', 'stellar', 'hedera']);

/** Interprets a request by the rules of its method; undefined for a method without rules. */
export function mppTerms(method: string, request: JsonObject): MppTerms | undefined {
  const rules = ownValue(METHODS, method);
  return rules?.({
    currency: text(member(request, 'currency')) ?? '',
    recipient: text(member(request, 'recipient')) ?? '',
    details: member(request, 'methodDetails'),
  });
}

/** Whether a method transfers a token whose contract is in the request. */
export function isTokenMethod(method: string): boolean {
  return TOKEN_METHODS.has(method);
}

/** Minor units of an ISO 4217 currency. Only dollars get a dollar price, because the evidence has no exchange rates. */
function fiat(
  { currency, recipient, details }: Stated,
  demanded: Readonly<Record<string, (value: JsonValue | undefined) => boolean>>,
  payee = false,
): MppTerms {
  return {
    ...NOTHING,
    symbol: currency === '' ? null : currency.toUpperCase(),
    usdDecimals: currency.toLowerCase() === 'usd' ? 2 : null,
    currencyUnexpected: currency !== '' && !/^[A-Za-z]{3}$/.test(currency),
    missing: [
      ...(currency === '' ? ['mpp_currency_missing'] : []),
      ...(payee && recipient === '' ? ['mpp_recipient_missing'] : []),
      ...(Object.entries(demanded).every(([name, holds]) => holds(member(details, name)))
        ? []
        : ['mpp_details_missing']),
    ],
  };
}

/** The prefix of invoices on each network (BOLT 11). */
const INVOICES: Readonly<Record<string, RegExp>> = {
  mainnet: /^lnbc\d/i,
  testnet: /^lntb\d/i,
  signet: /^lntbs\d/i,
  regtest: /^lnbcrt\d/i,
};

/** Satoshis, with the currency `sat`; with another word it is unclear whether the amount is in satoshis or bitcoin. */
function onLightning({ currency, details }: Stated): MppTerms {
  const stated = text(member(details, 'network')) ?? 'mainnet';
  const invoice = text(member(details, 'invoice'));
  const terms: MppTerms = {
    ...NOTHING,
    networkId: `lightning:${stated}`,
    network: { name: `Lightning ${stated}`, testnet: stated !== 'mainnet' },
    symbol: 'BTC',
    currencyUnexpected: currency !== '' && currency !== 'sat',
    missing: [
      ...(currency === '' ? ['mpp_currency_missing'] : []),
      ...(invoice === undefined ? ['mpp_details_missing'] : []),
    ],
  };
  const prefix = ownValue(INVOICES, stated);
  return lacking(terms, [invoice !== undefined && prefix?.test(invoice) === false && 'mpp_invoice_invalid']);
}

function isWord(value: JsonValue | undefined): boolean {
  return text(value) !== undefined;
}

function isWords(value: JsonValue | undefined): boolean {
  const items = list(value);
  return items !== undefined && items.length > 0 && items.every((item) => text(item) !== undefined);
}

function isStated(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}
