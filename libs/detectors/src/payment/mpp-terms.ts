import { isAccount, isUnspendable, networkById, tokenAt, type Network, type Token } from '@app/networks';
import { member, type JsonValue } from '../formats/json';

/** The content of a challenge's request, interpreted by the rules of its method. */
export interface MppTerms {
  /** CAIP-2 id if the method has one, otherwise the network as stated. */
  readonly networkId: string | null;
  readonly network: Pick<Network, 'name' | 'testnet'> | undefined;
  readonly token: Token | undefined;
  /** Symbol or currency code for people. */
  readonly symbol: string | null;
  /** The decimals for converting the amount to dollars; null if it is not a dollar amount. */
  readonly usdDecimals: number | null;
  /** Whether the currency has a form that the method does not define, so that its unit is unclear. */
  readonly currencyUnexpected: boolean;
  /** Codes of what the method requires and the request lacks. */
  readonly missing: readonly string[];
}

/** The parts of a request that all methods have. */
export interface Stated {
  readonly currency: string;
  readonly recipient: string;
  readonly details: JsonValue | undefined;
}

/** Empty terms. */
export const NOTHING: MppTerms = {
  networkId: null,
  network: undefined,
  token: undefined,
  symbol: null,
  usdDecimals: null,
  currencyUnexpected: false,
  missing: [],
};

/** The EVM chain of a request; undefined if missing. */
export function chainOf(details: JsonValue | undefined): number | undefined {
  const chain = member(details, 'chainId');
  return typeof chain === 'number' && Number.isSafeInteger(chain) && chain > 0 ? chain : undefined;
}

/** Terms of a token on a network. If there is no network, `family` is one that has the recipient's address format. */
export function onNetwork({ currency, recipient }: Stated, networkId: string | null, family: string): MppTerms {
  const token = networkId === null ? undefined : tokenAt(networkId, currency);
  return {
    ...NOTHING,
    networkId,
    network: networkId === null ? undefined : networkById(networkId),
    token,
    symbol: token?.symbol ?? null,
    usdDecimals: token?.dollar ? token.decimals : null,
    missing: [
      ...(currency === '' ? ['mpp_currency_missing'] : []),
      ...(isAccount(recipient, networkId ?? family) === false ? ['mpp_recipient_invalid'] : lost(recipient, currency)),
      ...(networkId === null ? ['mpp_chain_missing'] : []),
    ],
  };
}

/** The terms with additional codes of missing or invalid parts. */
export function lacking(terms: MppTerms, codes: readonly (string | false)[]): MppTerms {
  const missing = [...terms.missing, ...codes.filter((code) => code !== false)];
  return missing.length === terms.missing.length ? terms : { ...terms, missing };
}

/** Recipients with which the payment is lost: burn addresses, and the token itself. */
export function lost(recipient: string, currency: string): readonly string[] {
  if (isUnspendable(recipient)) return ['mpp_recipient_unspendable'];
  return recipient !== '' && recipient.toLowerCase() === currency.toLowerCase() ? ['mpp_recipient_is_asset'] : [];
}
