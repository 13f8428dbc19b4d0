import { checksummed } from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { PayToStatement, type PayToKind } from './payto-claims';
import { RejectedSignature, type PayToFinding } from './payto-finding';

/**
 * How strong the evidence of a kind is: `strong` requires a key or a live payment request, `good` a document meant for
 * naming accounts.
 */
const Strength = z.enum(['strong', 'good', 'medium']);

const STRENGTHS = {
  signed_offer: 'strong',
  ownership_proof: 'strong',
  live_challenge: 'strong',
  did_web: 'good',
  x402_manifest: 'medium',
  openapi: 'medium',
  agent_card: 'medium',
  ucp_profile: 'medium',
} as const satisfies Record<PayToKind, z.infer<typeof Strength>>;

/** Behaviour 7.10, `payto_check`. */
export const PayToCheck = z.object({
  domain: z.string(),
  address: z.string(),
  network: z.string(),
  /** Strongest first, except for the last two. */
  verdict: z.enum(['verified_signature', 'observed_live', 'declared', 'contradicted', 'no_evidence']),
  /** Strongest first; empty unless the verdict is based on it. */
  evidence: z.array(PayToStatement.pick({ kind: true, url: true, observedAt: true }).extend({ strength: Strength })),
  /** Other addresses at which the domain takes payments on this network, with EIP-55 checksums. */
  otherAddresses: z.array(z.string()),
  rejected: z.array(RejectedSignature),
  /** The meaning of the verdict, for people. */
  note: z.string(),
});
export type PayToCheck = DeepReadonly<z.infer<typeof PayToCheck>>;

type PayToVerdict = PayToCheck['verdict'];

export interface PayToQuery {
  readonly domain: string;
  /** `0x` and 40 hex digits. */
  readonly address: string;
  /** CAIP-2. */
  readonly network: string;
}

const MAX_EVIDENCE = 30;
const MAX_OTHERS = 20;

const NOTES = {
  verified_signature: 'The key of this address, or a key of the domain, signed that the address belongs to the domain.',
  observed_live: 'The domain asked for payment to this address in a live request; no signature confirms it.',
  declared: 'A document of the domain names this address; no live payment challenge or signature confirms it.',
  contradicted: 'The domain asks for payment to other addresses on this network, never to this one.',
  no_evidence: 'The domain does not name a payment address on this network anywhere.',
} as const satisfies Record<PayToVerdict, string>;

/**
 * Whether an address belongs to a domain, by the order of behaviour 7.10: a verified signature, a live challenge, a
 * document. An address that is not named anywhere is `contradicted` if the domain asks for payments to another one on
 * that network.
 */
export function judgePayTo(query: PayToQuery, { reachable, reached, statements, rejected }: PayToFinding): PayToCheck {
  const relevant = statements.filter((statement) => concerns(statement, query.network));
  const own = relevant.filter((statement) => sameAddress(statement.address, query.address));
  const others = relevant.filter((statement) => statement.asks && !sameAddress(statement.address, query.address));
  const verdict = verdictOf(own, others);
  const otherAddresses = [...new Set(others.map(({ address }) => checksummed(address)))].slice(0, MAX_OTHERS);
  return {
    domain: query.domain,
    address: checksummed(query.address),
    network: query.network,
    verdict,
    evidence: evidenceOf(own),
    otherAddresses,
    rejected,
    note: [
      NOTES[verdict],
      ...(reachable ? [] : ['The host could not be reached.']),
      ...(reached ? [] : ['The probe could not request every document that may name a payment address.']),
      ...(own.length > 0 && otherAddresses.length > 0 ? ['It also asks for payment to other addresses.'] : []),
      'This is evidence, not a guarantee.',
    ].join(' '),
  };
}

/** Whether unreached routes cannot change the verdict; otherwise the check is not charged (behaviour 7.10). */
export function isPayToAnswer({ verdict }: PayToCheck, { reached }: PayToFinding): boolean {
  return reached || (verdict !== 'contradicted' && verdict !== 'no_evidence');
}

function verdictOf(own: readonly PayToStatement[], others: readonly PayToStatement[]): PayToVerdict {
  const has = (...kinds: readonly PayToKind[]): boolean => own.some(({ kind }) => kinds.includes(kind));
  if (has('signed_offer', 'ownership_proof')) return 'verified_signature';
  if (has('live_challenge')) return 'observed_live';
  if (own.length > 0) return 'declared';
  return others.length > 0 ? 'contradicted' : 'no_evidence';
}

/**
 * A key is the same on every EVM network. A place that asks for payments on another network says nothing about this
 * one.
 */
function concerns({ network, asks }: PayToStatement, wanted: string): boolean {
  return network === null || network === wanted || (!asks && network.startsWith('eip155:'));
}

function evidenceOf(own: readonly PayToStatement[]): PayToCheck['evidence'] {
  const order = Object.keys(STRENGTHS);
  const evidence = own.map(({ kind, url, observedAt }) => ({ kind, url, strength: STRENGTHS[kind], observedAt }));
  const distinct = [...new Map(evidence.map((item) => [`${item.kind} ${item.url}`, item])).values()];
  return distinct.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)).slice(0, MAX_EVIDENCE);
}

function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
