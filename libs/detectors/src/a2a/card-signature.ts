import { defined } from '@app/platform';
import { leakedPrivateKey } from '../documents/private-key';
import type { Answer, Exchange, ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { duplicateMembers } from '../formats/duplicate-members';
import { toBase64url } from '../formats/base64url';
import { jsonPath, list, member, type JsonObject } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import type { Finding } from '../judgement/judgement';
import { isSignedBy, jwsScheme } from '../keys/signature-schemes';
import type { AgentCard } from './card';
import { KNOWN_MEMBERS, signedPayloads, type PayloadForm } from './payload-forms';
import { isRefusedAlgorithm, readSignature, type CardSignature } from './signature-header';
import { keyRequests, keysFor, type NoKey } from './signature-keys';

const MAX_SIGNATURES = 10;

type Fault =
  | 'signature_unverified'
  | 'signature_covers_less'
  | 'signature_malformed'
  | 'signature_alg_refused'
  | 'signature_crit_unknown';
type Unknown = Exclude<NoKey, 'unasked'> | 'alg_unknown';

/** The result of one signature; `unasked` if its keys were not requested. */
type Outcome =
  | { readonly state: 'verified'; readonly form: PayloadForm }
  | { readonly state: 'broken'; readonly reason: Fault }
  | { readonly state: 'unknown_key'; readonly reason: Unknown }
  | { readonly state: 'unasked' };

/** The best result of all signatures counts; there is no result while key requests are pending. */
const RANKS: readonly Outcome['state'][] = ['verified', 'unasked', 'broken', 'unknown_key'];

/** The keys may be known from elsewhere, and new algorithms may appear, so this is not a fault of the card. */
const NO_FAULT: readonly (Fault | Unknown)[] = ['no_jku', 'alg_unknown'];

/** The result of all signatures of a card. */
export interface SignatureReading {
  readonly details: JsonObject;
  readonly findings: readonly Finding[];
  /** The responses with key sets. */
  readonly exchanges: readonly Exchange[];
  /** Whether one of them publishes a private key. */
  readonly leaks: boolean;
}

/** Requests for the keys of a card's signatures. */
export function signatureRequests(card: AgentCard, seen: HostEvidence): readonly ProbeRequest[] {
  const signatures = signaturesOf(card).filter((one) => one !== undefined);
  return keyRequests(signatures, seen);
}

/**
 * Verifies the signatures of a card (A2A 1.0 section 8.4): one valid signature is enough. A document with duplicate
 * fields is ambiguous, so none of its signatures is valid.
 */
export function readSignatures(card: AgentCard, { body }: Answer, seen: HostEvidence): SignatureReading {
  const signatures = signaturesOf(card);
  const payloads = signatures.length === 0 || duplicateMembers(body).length > 0 ? [] : signedPayloads(card.members);
  const outcomes = signatures.map((one) => outcomeOf(one, payloads, seen));
  const best = outcomes.toSorted((a, b) => RANKS.indexOf(a.state) - RANKS.indexOf(b.state))[0];
  const sets = signatureRequests(card, seen).flatMap(({ url }) => seen.read(url));
  const leaks = sets.flatMap((set) => {
    const at = set.kind === 'json' ? leakedPrivateKey(set.value) : undefined;
    return set.kind === 'json' && at !== undefined ? [{ id: 'private_key_leaked', at: set.answer.url }] : [];
  });
  return {
    details: { signed: signatures.length > 0, ...(best && stateDetails(best)), ...listOf(signatures, outcomes) },
    findings: [...leaks, ...(best?.state === 'verified' ? [] : outcomes.flatMap(findingOf))],
    exchanges: signatureRequests(card, seen).flatMap(({ url }) => seen.at(url) ?? []),
    leaks: leaks.length > 0,
  };
}

function signaturesOf({ members }: AgentCard): readonly (CardSignature | undefined)[] {
  return (list(member(members, 'signatures')) ?? []).slice(0, MAX_SIGNATURES).map(readSignature);
}

function outcomeOf(
  one: CardSignature | undefined,
  payloads: ReturnType<typeof signedPayloads>,
  seen: HostEvidence,
): Outcome {
  if (!one) return { state: 'broken', reason: 'signature_malformed' };
  if (isRefusedAlgorithm(one.alg)) return { state: 'broken', reason: 'signature_alg_refused' };
  if (one.critical) return { state: 'broken', reason: 'signature_crit_unknown' };
  const scheme = jwsScheme(one.alg);
  if (!scheme) return { state: 'unknown_key', reason: 'alg_unknown' };
  const keys = keysFor(one, scheme, seen);
  if (keys === 'unasked') return { state: 'unasked' };
  if (typeof keys === 'string') return { state: 'unknown_key', reason: keys };
  const signed = payloads.find(([, payload]) => {
    const data = new TextEncoder().encode(`${one.protected}.${toBase64url(payload)}`);
    return keys.some((key) => isSignedBy(key, scheme, { data, signature: one.bytes }));
  });
  const form = signed?.[0];
  if (form === undefined) return { state: 'broken', reason: 'signature_unverified' };
  return form === KNOWN_MEMBERS ? { state: 'broken', reason: 'signature_covers_less' } : { state: 'verified', form };
}

function stateDetails(best: Outcome): JsonObject {
  if (best.state === 'unasked') return {};
  if (best.state === 'verified') return { signature: 'verified', verified: true, verifiedForm: best.form };
  return { signature: best.state, verified: best.state === 'broken' ? false : null, signatureReason: best.reason };
}

function listOf(signatures: readonly (CardSignature | undefined)[], outcomes: readonly Outcome[]): JsonObject {
  const entries = signatures.map((one, i) => {
    const outcome = outcomes[i];
    return {
      alg: one?.alg ?? null,
      kid: one?.kid ?? null,
      jkuHost: parseUrl(one?.jku ?? '')?.hostname ?? null,
      ...defined({ reason: outcome && 'reason' in outcome ? outcome.reason : undefined }),
    };
  });
  return defined({ signatures: entries.length > 0 ? entries : undefined });
}

function findingOf(outcome: Outcome, i: number): readonly Finding[] {
  const reason = 'reason' in outcome ? outcome.reason : undefined;
  if (reason === undefined || NO_FAULT.includes(reason)) return [];
  // The signature covers only a part of the card, so the card as a whole is unverified.
  const ids = reason === 'signature_covers_less' ? [reason, 'signature_unverified'] : [reason];
  return ids.map((id) => ({ id, at: jsonPath('signatures', i) }));
}
