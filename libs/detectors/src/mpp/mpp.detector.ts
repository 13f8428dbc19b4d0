import { X402_MANIFEST_PROBE, x402ManifestFollowUps } from '../documents/x402-manifests';
import { defineDetector } from '../judgement/detector';
import type { Answer, Exchange } from '../evidence/exchange';
import { foreign402, gateOf } from '../evidence/foreign-402';
import type { HostEvidence } from '../evidence/host-evidence';
import { member, text, type JsonObject } from '../formats/json';
import { distinctFindings, type Finding, withFindings, type Judgement } from '../judgement/judgement';
import { exchangeOf, nothingFound } from '../judgement/nothing-found';
import { CATALOGUE_PROBE, DESCRIPTION_PROBE, descriptionFollowUps, forPrices } from '../openapi/published-descriptions';
import {
  bareAnswers,
  behindValidation,
  isForeign402,
  openRoutes,
  routeExercises,
  routeOutcomes,
  unknownRoutes,
} from '../payment/advertised-routes';
import { addressFindings, advertisements } from '../payment/advertisements';
import { adviseAddress } from '../payment/advice/address-advice';
import { mppChallenges, withoutMppChallenge, type MppChallenge } from '../payment/mpp-challenge';
import { payeeAgreement } from '../payment/live/payee-agreement';
import { adviseMpp } from '../payment/advice/mpp-advice';
import { checkMpp } from '../payment/mpp-checks';

const MAX_SHOWN = 10;

function judge(seen: HostEvidence): Judgement {
  const bare = bareAnswers(seen, 'mpp').map(({ answer, note }) => withoutMppChallenge(answer, note));
  const challenges = [...mppChallenges(seen), ...bare];
  const unknown = unknownRoutes(seen, 'mpp');
  const judgement = challenges.length === 0 ? unchallenged(unknown, seen) : byChallenges(challenges, unknown, seen);
  return withFindings(judgement, addressFindings(seen, 'mpp'));
}

function byChallenges(
  challenges: readonly MppChallenge[],
  unknown: Judgement | undefined,
  seen: HostEvidence,
): Judgement {
  const agreed = payeeAgreement(seen, 'mpp');
  const sound = challenges.filter((challenge) => partialNote(challenge) === undefined);
  const deciding = sound.length > 0 ? sound : challenges;
  const note = sound.length > 0 ? undefined : partialNote(challenges[0]);
  const open = openRoutes(unknown, 'mpp', seen);
  return {
    status: sound.length > 0 ? 'present' : 'partial',
    details: {
      note,
      ...open.details,
      methods: [...new Set(deciding.flatMap(({ method }) => method ?? []))],
      challenges: deciding.slice(0, MAX_SHOWN).map(shown),
      ...offersOf(seen),
      ...agreed.details,
    },
    findings: [...findingsOf(challenges), ...agreed.findings, ...open.findings],
    decidedBy: exchangesOf(deciding),
  };
}

/** Faults that prevent payment, and faults that clients tolerate. */
function findingsOf(challenges: readonly MppChallenge[]): readonly Finding[] {
  return distinctFindings(
    challenges.flatMap((challenge) =>
      [...checkMpp(challenge).reasons, ...challenge.warnings].map((id) => ({ id, at: challenge.answer.finalUrl })),
    ),
  );
}

/** Why a challenge is incomplete: the first missing parameter, or an ambiguous currency. */
function partialNote(challenge: MppChallenge | undefined): string | undefined {
  if (!challenge) return undefined;
  if (challenge.faults[0] !== undefined) return challenge.faults[0];
  return checkMpp(challenge).terms?.currencyUnexpected ? 'mpp_currency_unexpected' : undefined;
}

function shown(challenge: MppChallenge): JsonObject {
  const { method, intent, expires, realm, answer } = challenge;
  const { terms, amount, amountUsd, currency, recipient, reasons } = checkMpp(challenge);
  return {
    ...{ method, intent, realm, amount, amountUsd, currency, recipient, expires },
    network: terms?.networkId ?? null,
    resource: answer.finalUrl,
    reasons,
  };
}

/**
 * By behaviour 5.8, a host without a challenge is `absent` with this note; offers in its OpenAPI document are reported
 * in addition.
 */
function unchallenged(unknown: Judgement | undefined, seen: HostEvidence): Judgement {
  // A host that answers 402 even to nonexistent paths has a gate, so the content behind it is unknown.
  const gated = seen.controls.some(({ status }) => status === 402);
  const home = seen.read('/');
  const found = nothingFound(home.kind === 'payment_required' && !gated ? [] : [home], {
    note: 'no_public_well_known',
  });
  const routes = routeOutcomes(seen, 'mpp', 'bare', 'answered').flatMap(({ reading }) => exchangeOf(reading) ?? []);
  const unpaid = [...seen.answersWith(402)].slice(0, MAX_SHOWN);
  const decidedBy = [...new Set([...found.decidedBy, ...routes, ...unpaid, ...(unknown?.decidedBy ?? [])])];
  if (found.status === 'error') return { ...found, decidedBy };
  if (unknown?.status === 'error') return { ...unknown, decidedBy };
  return {
    ...found,
    ...unknown,
    details: { ...found.details, ...unknown?.details, ...offersOf(seen) },
    findings: [
      ...distinctFindings(unpaid.flatMap((answer) => foreignFinding(answer, seen))),
      ...behindValidation(seen, 'mpp'),
    ],
    decidedBy,
  };
}

/** The meaning of a route's 402 without a challenge; a gate in front of the whole host does not count for the route. */
function foreignFinding(answer: Answer, seen: HostEvidence): readonly Finding[] {
  if (!isForeign402(answer, seen) || gateOf(answer).note !== undefined) return [];
  const { note } = foreign402(answer);
  return [{ id: note === 'l402_challenge' ? 'l402_is_not_mpp' : note, at: answer.finalUrl }];
}

/** Offers by the OpenAPI discovery draft, https://paymentauth.org/draft-payment-discovery-00.html; only informative. */
function offersOf(seen: HostEvidence): JsonObject {
  const offers = advertisements(seen)
    .filter(({ protocols }) => protocols.includes('mpp'))
    .flatMap(({ url, method, offers: stated }) =>
      stated.map((offer) => ({
        url,
        httpMethod: method,
        intent: text(member(offer, 'intent')) ?? null,
        method: text(member(offer, 'method')) ?? null,
        amount: text(member(offer, 'amount')) ?? null,
        currency: text(member(offer, 'currency')) ?? null,
      })),
    );
  return { offers: offers.length === 0 ? undefined : offers.slice(0, MAX_SHOWN) };
}

function exchangesOf(challenges: readonly MppChallenge[]): readonly Exchange[] {
  return [...new Set(challenges.map(({ answer }) => answer))].slice(0, MAX_SHOWN);
}

/**
 * MPP, the Machine Payments Protocol: the HTTP authentication scheme "Payment" (https://paymentauth.org). It has no
 * version on the wire, so the cell's version is null.
 */
export const mpp = defineDetector({
  id: 'mpp',
  name: { short: 'MPP', long: 'Machine Payments Protocol' },
  spec: 'https://paymentauth.org/draft-httpauth-payment-01.html',
  rules: { release: 'draft-httpauth-payment-01', checked: '2026-11-25' },
  sells: true,
  gain: { priority: 1, effort: 'hours', why: 'MPP clients pay for a route only when its 402 has this challenge.' },
  probes: [
    { method: 'GET', url: '/' },
    ...forPrices([DESCRIPTION_PROBE]),
    // It may contain MPP routes (`mppResources`).
    { ...X402_MANIFEST_PROBE, optional: true },
  ],
  followUps: (seen) => [...forPrices([...descriptionFollowUps(seen), CATALOGUE_PROBE]), ...x402ManifestFollowUps(seen)],
  exercises: routeExercises,
  judge,
  advise: (judgement, seen) => [
    ...(addressFindings(seen, 'x402').length > 0 ? [] : adviseAddress(addressFindings(seen, 'mpp'))),
    ...adviseMpp(judgement, mppChallenges(seen)),
  ],
});
