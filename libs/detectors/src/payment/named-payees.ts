import { caip2OfV1Name, canonicalNetworkId, isAccount, isCaip2, isEvmAddress } from '@app/networks';
import { isObject, member, text, type JsonValue } from '../formats/json';

/** An account in a document of a host. */
export interface NamedPayee {
  readonly address: string;
  /** CAIP-2, or null if the document does not name a network. */
  readonly network: string | null;
  /** Whether it asks for payments there, rather than only mentioning a wallet. */
  readonly asks: boolean;
}

/** Fields that ask for payments, and fields that only name a wallet. */
const ASKING = /^(?:pay_?to(?:_?address)?|payee|recipient|payment_?address|payout_?address)$/i;
const NAMING = /^(?:wallets?|wallet_?address|address|accounts?|evm|evm_?address)$/i;

/** Addresses in fields whose name identifies them; the parser has already limited depth and size. */
export function namedPayees(value: JsonValue, network: string | null = null): readonly NamedPayee[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap((item) => namedPayees(item, network));
  if (!isObject(value)) return [];
  const own = networkOf(text(member(value, 'network')) ?? text(member(value, 'chain'))) ?? network;
  return Object.entries(value).flatMap(([name, item]) => {
    if (item === undefined) return [];
    const asks = ASKING.test(name);
    if (!asks && !NAMING.test(name)) return namedPayees(item, own);
    return [...leaves(item, own).map((leaf) => ({ ...leaf, asks })), ...namedPayees(item, own)];
  });
}

/** A text, an array of texts, or texts by network. */
function leaves(value: JsonValue, network: string | null): readonly Omit<NamedPayee, 'asks'>[] {
  if (typeof value === 'string') return accountIn(value, network);
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap((item) =>
      typeof item === 'string' ? accountIn(item, network) : [],
    );
  }
  return isObject(value)
    ? Object.entries(value).flatMap(([name, item]) => {
        const named = networkOf(name);
        return named !== null && typeof item === 'string' ? accountIn(item, named) : [];
      })
    : [];
}

/**
 * An account by itself or as CAIP-10 (https://chainagnostic.org/CAIPs/caip-10); without a network only EVM addresses
 * count.
 */
export function accountIn(stated: string, network: string | null = null): readonly Omit<NamedPayee, 'asks'>[] {
  const trimmed = stated.trim();
  const [, chain, own = ''] = /^([-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}):([-.%a-zA-Z0-9]{1,128})$/.exec(trimmed) ?? [];
  if (chain !== undefined) return isAccount(own, chain) === true ? [{ address: own, network: chain }] : [];
  const isOne = isEvmAddress(trimmed) || (network !== null && isAccount(trimmed, network) === true);
  return isOne && !network?.startsWith('cloudflare:') ? [{ address: trimmed, network }] : [];
}

function networkOf(stated: string | undefined): string | null {
  if (stated === undefined) return null;
  const id = canonicalNetworkId(stated);
  return caip2OfV1Name(stated) ?? (isCaip2(id) ? id : null);
}
