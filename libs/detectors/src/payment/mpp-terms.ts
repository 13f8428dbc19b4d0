import { isAccount, isUnspendable, networkById, tokenAt, type Network, type Token } from '@app/networks';
import { member, type JsonValue } from '../formats/json';

/** What the request of a challenge says, read by the rules of its payment method. */
export interface MppTerms {
  /** CAIP-2 id where the method has one, otherwise the network as stated. */
  readonly networkId: string | null;
  readonly network: Pick<Network, 'name' | 'testnet'> | undefined;
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

/** What of a request all methods have. */
export interface Stated {
  readonly currency: string;
  readonly recipient: string;
  readonly details: JsonValue | undefined;
}

/** Terms that say nothing. */
export const NOTHING: MppTerms = {
  networkId: null,
  network: undefined,
  token: undefined,
  symbol: null,
  usdDecimals: null,
  currencyUnexpected: false,
  missing: [],
};

/** An EVM chain as a request names it, or undefined for none. */
export function chainOf(details: JsonValue | undefined): number | undefined {
  const chain = member(details, 'chainId');
  return typeof chain === 'number' && Number.isSafeInteger(chain) && chain > 0 ? chain : undefined;
}

/** Terms of a token on a network; `family` is a network whose form recipients have when none is named. */
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

/** The terms with further codes of what is missing or wrong. */
export function lacking(terms: MppTerms, codes: readonly (string | false)[]): MppTerms {
  const missing = [...terms.missing, ...codes.filter((code) => code !== false)];
  return missing.length === terms.missing.length ? terms : { ...terms, missing };
}

/** Recipients that would lose the payment: burn addresses, and the token itself. */
export function lost(recipient: string, currency: string): readonly string[] {
  if (isUnspendable(recipient)) return ['mpp_recipient_unspendable'];
  return recipient !== '' && recipient.toLowerCase() === currency.toLowerCase() ? ['mpp_recipient_is_asset'] : [];
}
