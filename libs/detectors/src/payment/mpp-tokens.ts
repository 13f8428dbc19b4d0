import { isHederaId, isStellarContract } from '@app/networks';
import { member, ownValue, text, type JsonValue } from '../formats/json';
import { chainOf, lacking, onNetwork, type MppTerms, type Stated } from './mpp-terms';

/** Tempo's default when a request names no chain is its test network (draft-tempo-charge). */
const TEMPO_DEFAULT_CHAIN = 42_431;

const SOLANA_NETWORKS: Readonly<Record<string, string>> = {
  mainnet: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'mainnet-beta': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  devnet: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  testnet: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
};

/** The credential types of the method `evm` (draft-evm-charge). */
const CREDENTIALS = ['authorization', 'permit2', 'transaction', 'hash'];

/**
 * Rules of the methods that transfer a token on a network: the drafts at
 * https://github.com/tempoxyz/mpp-specs/tree/main/specs/methods.
 */
export function onTempo(stated: Stated): MppTerms {
  return onNetwork(stated, `eip155:${chainOf(stated.details) ?? TEMPO_DEFAULT_CHAIN}`, 'eip155');
}

export function onEvm(stated: Stated, details: JsonValue | undefined = stated.details): MppTerms {
  const chain = chainOf(details);
  const types = member(details, 'credentialTypes');
  const signable =
    types === undefined || (Array.isArray(types) && types.some((type) => CREDENTIALS.includes(String(type))));
  const terms = onNetwork(stated, chain === undefined ? null : `eip155:${chain}`, 'eip155:1');
  return lacking(terms, [!signable && 'mpp_details_invalid']);
}

export function onSolana(stated: Stated): MppTerms {
  const named = text(member(stated.details, 'network')) ?? 'mainnet';
  const networkId = ownValue(SOLANA_NETWORKS, named);
  const terms = onNetwork(stated, networkId ?? null, 'solana:');
  const missing = terms.missing.filter((code) => code !== 'mpp_chain_missing');
  return { ...terms, networkId: networkId ?? named, symbol: stated.currency === 'sol' ? 'SOL' : terms.symbol, missing };
}

export function onStellar(stated: Stated): MppTerms {
  const { currency, details } = stated;
  const named = text(member(details, 'network'));
  const feePayer = member(details, 'feePayer');
  const networkId = named?.startsWith('stellar:') === true ? named : null;
  const terms = onNetwork(stated, networkId, 'stellar:');
  const missing = terms.missing.map((code) => (code === 'mpp_chain_missing' ? 'network_missing' : code));
  return lacking({ ...terms, missing }, [
    currency !== '' && !isStellarContract(currency) && 'mpp_currency_invalid',
    feePayer !== undefined && typeof feePayer !== 'boolean' && 'mpp_details_invalid',
  ]);
}

/** The EVM chain ids of Hedera. */
const HEDERA_CHAINS: Readonly<Record<number, string>> = { 295: 'hedera:mainnet', 296: 'hedera:testnet' };

export function onHedera(stated: Stated): MppTerms {
  const { currency, recipient, details } = stated;
  const chain = chainOf(details);
  const networkId = chain === undefined ? null : (HEDERA_CHAINS[chain] ?? `hedera:${chain}`);
  const terms = onNetwork(stated, networkId, 'hedera:');
  // Here an account must be given by its number, not by its EVM address.
  const isAlias = recipient.startsWith('0x') && !terms.missing.includes('mpp_recipient_invalid');
  return lacking(terms, [
    isAlias && 'mpp_recipient_invalid',
    currency !== '' && !isHederaId(currency, networkId ?? '') && 'mpp_currency_invalid',
  ]);
}
