import { defineDetector, type Finding, type FixAdvice, type Judgement } from './detector';
import { headerValues, type Exchange } from './exchange';
import type { HostEvidence } from './host-evidence';
import { isObject, list, member, text, type JsonObject } from './json';
import { advertisedOperations, routeExercises, routeReadings } from './payment/advertised-routes';
import { parseAuthChallenges } from './payment/auth-challenges';
import { mppChallenges, type MppChallenge } from './payment/mpp-challenge';
import { checkMpp } from './payment/mpp-checks';
import { nothingFound } from './verdict';

const MAX_SHOWN = 10;
const MAX_OPENAPI_BYTES = 5_000_000;
/** The x402 manifest may list MPP routes (`mppResources`). */
const MAX_MANIFEST_BYTES = 1_048_576;

function judge(seen: HostEvidence): Judgement {
  const challenges = mppChallenges(seen);
  if (challenges.length === 0) return unchallenged(seen);
  const sound = challenges.filter((challenge) => partialNote(challenge) === undefined);
  const deciding = sound.length > 0 ? sound : challenges;
  const note = sound.length > 0 ? undefined : partialNote(challenges[0]);
  return {
    status: sound.length > 0 ? 'present' : 'partial',
    details: {
      ...(note === undefined ? {} : { note }),
      methods: [...new Set(deciding.flatMap(({ method }) => method ?? []))],
      challenges: deciding.slice(0, MAX_SHOWN).map(shown),
      ...offersOf(seen),
    },
    findings: challenges.flatMap(({ faults, warnings, answer }) =>
      [...faults, ...warnings].map((id) => ({ id, at: answer.finalUrl })),
    ),
    decidedBy: exchangesOf(deciding),
  };
}

/** Why a challenge is not a whole one: the first missing parameter, or a currency whose unit is unclear. */
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

/** Spec 2.6: an unchallenged host is `absent` with this note; what its OpenAPI document offers is told beside it. */
function unchallenged(seen: HostEvidence): Judgement {
  // A 402 for everything, nonsense included, is a gate before the host: what is behind it is unknown.
  const readings = [seen.read('/'), ...routeReadings(seen, 'mpp')].filter(
    (reading) => seen.habit === 'walled' || reading.kind !== 'payment_required',
  );
  const found = nothingFound(readings, { note: 'no_public_well_known' });
  const unpaid = [...seen.answersWith(402)].slice(0, MAX_SHOWN);
  const decidedBy = [...new Set([...found.decidedBy, ...unpaid])];
  if (found.status === 'error') return { ...found, decidedBy };
  const l402 = unpaid.flatMap((answer): Finding[] =>
    parseAuthChallenges(headerValues(answer, 'www-authenticate')).some(({ scheme }) => /^(?:l402|lsat)$/.test(scheme))
      ? [{ id: 'l402_is_not_mpp', at: answer.finalUrl }]
      : [],
  );
  return { ...found, details: { ...found.details, ...offersOf(seen) }, findings: l402, decidedBy };
}

/** Offers of the OpenAPI discovery draft, https://paymentauth.org/draft-payment-discovery-00.html: advisory only. */
function offersOf(seen: HostEvidence): JsonObject {
  const offers = advertisedOperations(seen)
    .filter(({ protocols }) => protocols.includes('mpp'))
    .flatMap(({ url, method, paymentInfo }) => {
      const stated = list(member(paymentInfo, 'offers'))?.filter(isObject) ?? [paymentInfo];
      return stated.map((offer) => ({
        url,
        httpMethod: method,
        intent: text(member(offer, 'intent')) ?? null,
        method: text(member(offer, 'method')) ?? null,
        amount: text(member(offer, 'amount')) ?? null,
        currency: text(member(offer, 'currency')) ?? null,
      }));
    });
  return offers.length === 0 ? {} : { offers: offers.slice(0, MAX_SHOWN) };
}

function exchangesOf(challenges: readonly MppChallenge[]): readonly Exchange[] {
  return [...new Set(challenges.map(({ answer }) => answer))].slice(0, MAX_SHOWN);
}

const EXAMPLE =
  'WWW-Authenticate: Payment id="<unique id>", realm="api.example.com", method="tempo", intent="charge", ' +
  'request="<base64url, no padding>", expires="2030-01-01T00:00:00Z"\n' +
  'where request encodes {"amount":"10000","currency":"0x20C000000000000000000000b9537d11c60E8b50",' +
  '"methodDetails":{"chainId":4217},"recipient":"0x<your address>"} (10000 is 0.01 USDC.e on Tempo).';

function advise(judgement: Judgement): readonly FixAdvice[] {
  const answer = `Answer unpaid requests to the priced route with status 402, Cache-Control: no-store and\n${EXAMPLE}`;
  if (judgement.status === 'absent') {
    return [{ kind: 'missing', problem: 'No WWW-Authenticate: Payment challenge was seen.', fix: answer }];
  }
  if (judgement.status !== 'partial') return [];
  const note = judgement.details?.['note'];
  const faults = (judgement.findings ?? []).map(({ id }) => id).filter((id) => id.startsWith('mpp_'));
  const problem =
    note === 'mpp_currency_unexpected'
      ? 'The currency of the Payment challenge is not one its method defines, so the unit of the amount is unclear.'
      : `The Payment challenge is incomplete (${[...new Set(faults)].join(', ')}).`;
  const fix =
    note === 'mpp_currency_unexpected'
      ? 'Write the currency as the method\'s draft does: "sat" for lightning (amount in satoshis), a three-letter ISO 4217 code for stripe and card.'
      : `Send id, realm, method, intent and request as quoted parameters separated by commas. ${answer}`;
  return [{ kind: 'partial', problem, fix }];
}

/**
 * MPP, the Machine Payments Protocol: the HTTP authentication scheme "Payment" (https://paymentauth.org). The wire
 * carries no version, so the cell's version stays null.
 */
export const mpp = defineDetector({
  id: 'mpp',
  name: { short: 'MPP', long: 'Machine Payments Protocol' },
  spec: 'https://paymentauth.org/draft-httpauth-payment-00.html',
  probes: [
    { method: 'GET', url: '/' },
    { method: 'GET', url: '/openapi.json', maxBytes: MAX_OPENAPI_BYTES },
    { method: 'GET', url: '/.well-known/x402', maxBytes: MAX_MANIFEST_BYTES },
  ],
  exercises: routeExercises,
  judge,
  advise,
});
