import { X402_MANIFEST_PATHS, X402_MANIFEST_PROBE, x402ManifestFollowUps } from '../documents/x402-manifests';
import { defineDetector } from '../judgement/detector';
import type { Exchange, ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import type { Reading } from '../evidence/reading';
import type { JsonObject } from '../formats/json';
import { detailOf, type Finding, type FixAdvice, withFindings, type Judgement } from '../judgement/judgement';
import { exchangeOf, nothingFound } from '../judgement/nothing-found';
import { CATALOGUE_PROBE, DESCRIPTION_PROBE, descriptionFollowUps, forPrices } from '../openapi/published-descriptions';
import {
  advertisedRoutes,
  bareAnswers,
  behindValidation,
  isForeign402,
  NOT_EXERCISED,
  openRoutes,
  routeExercises,
  routeOutcomes,
  unknownRoutes,
} from '../payment/advertised-routes';
import { addressFindings } from '../payment/advertisements';
import { acceptsOf, challengeFindings, extensionsOf, versionsOf } from '../payment/challenge-details';
import { payeeAgreement } from '../payment/live/payee-agreement';
import { foreign402 } from '../evidence/foreign-402';
import { publishedManifest, type PublishedManifest } from '../payment/published-manifest';
import { adviseAddress } from '../payment/advice/address-advice';
import {
  adviseDomain,
  adviseMissing,
  advisePartial,
  adviseUnpayable,
  HTML,
  type JudgedOption,
} from '../payment/advice/x402-advice';
import { isUnpaid } from '../payment/advice/client-advice';
import { x402Clients } from '../payment/clients/x402-clients';
import { withoutChallenge, x402Challenges, type X402Challenge } from '../payment/x402-challenge';
import { checkAccept } from '../payment/x402-checks';

/** Nonstandard paths of x402 manifests that are in use. */
const PLACE = /(?:\/\.well-known\/x402-payment|(?<!\.well-known)\/x402\.json)\b/;

/**
 * If the home page or llms.txt names such a path, it is only a hint for people: it is not requested and decides
 * nothing.
 */
function withManifestHint(judgement: Judgement, seen: HostEvidence): Judgement {
  if (judgement.status !== 'absent') return judgement;
  const [hint] = ['/', '/llms.txt'].flatMap((path) => {
    const exchange = seen.at(path);
    return (exchange?.kind === 'answer' && PLACE.exec(exchange.body)?.[0]) || [];
  });
  return hint === undefined ? judgement : { ...judgement, details: { ...judgement.details, hint } };
}

const MAX_ACCEPTS = 10;

const probes: readonly ProbeRequest[] = [
  { method: 'GET', url: '/' },
  X402_MANIFEST_PROBE,
  ...forPrices([DESCRIPTION_PROBE]),
];

function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  return [...x402ManifestFollowUps(seen), ...forPrices([...descriptionFollowUps(seen), CATALOGUE_PROBE])];
}

/** Live challenges decide, valid ones first; then untested advertised routes, then a manifest. */
function judge(seen: HostEvidence): Judgement {
  const bare = bareAnswers(seen, 'x402').map(({ answer, note }) => withoutChallenge(answer, note));
  const challenges = [...x402Challenges(seen), ...bare];
  const manifest = publishedManifest(seen);
  const unknown = unknownRoutes(seen, 'x402');
  const judgement =
    challenges.length > 0
      ? byChallenges(challenges, manifest, unknown, seen)
      : manifest
        ? byManifest(manifest, unknown, seen)
        : nothing(unknown, seen);
  return withFindings(judgement, addressFindings(seen, 'x402'));
}

function byChallenges(
  challenges: readonly X402Challenge[],
  manifest: PublishedManifest | undefined,
  unknown: Judgement | undefined,
  seen: HostEvidence,
): Judgement {
  const sound = challenges.filter((challenge) => challenge.sound);
  const deciding = sound.length > 0 ? sound : challenges;
  const agreed = payeeAgreement(seen, 'x402');
  const open = openRoutes(unknown, 'x402', seen);
  return {
    status: sound.length > 0 ? 'present' : 'partial',
    version: versionsOf(deciding),
    details: {
      note: sound.length > 0 ? undefined : deciding[0]?.faults[0],
      ...open.details,
      dialects: [...new Set(deciding.flatMap((challenge) => challenge.dialects))],
      accepts: deciding.flatMap(acceptsOf).slice(0, MAX_ACCEPTS),
      extensions: extensionsOf(deciding),
      ...manifestDetails(manifest),
      ...agreed.details,
      ...routesOf(seen),
    },
    findings: [
      ...challengeFindings(challenges, seen),
      ...(manifest?.findings ?? []),
      ...agreed.findings,
      ...open.findings,
      ...manifestFaults(manifest, seen),
    ],
    decidedBy: exchangesOf(deciding, manifest),
  };
}

/** If a full probe had no time to call a route, its result is unknown; a presence probe calls nothing. */
function byManifest(manifest: PublishedManifest, unknown: Judgement | undefined, seen: HostEvidence): Judgement {
  const isOpen = unknown !== undefined && (unknown.status === 'error' || seen.asked('callability'));
  const status = unknown?.status === 'error' ? 'error' : manifest.sound && !isOpen ? 'present' : 'partial';
  return {
    status,
    version: status === 'error' ? null : (manifest.version?.toString() ?? null),
    details: {
      // A route that was not called or did not answer may have the challenge that such a manifest needs.
      note: isOpen && manifest.note === 'manifest_without_x402version' ? undefined : manifest.note,
      ...unknown?.details,
      ...manifestDetails(manifest),
      ...routesOf(seen),
    },
    findings: [...manifest.findings, ...behindValidation(seen, 'x402')],
    decidedBy: [...new Set([...(unknown?.decidedBy ?? []), manifest.answer])],
  };
}

/** A live challenge decides regardless of the manifest, but the owner should still know its faults. */
function manifestFaults(manifest: PublishedManifest | undefined, seen: HostEvidence): readonly Finding[] {
  if (manifest) return manifest.note === undefined ? [] : [{ id: manifest.note, at: manifest.url }];
  const at = X402_MANIFEST_PATHS[0];
  const { note } = pageDetails([seen.read(at)].filter((page) => page.kind !== 'html' || !page.catchAll));
  return typeof note === 'string' ? [{ id: note, at }] : [];
}

/** No x402 at all, as opposed to "could not check", an HTML page in place of a manifest, and other kinds of 402. */
function nothing(unknown: Judgement | undefined, seen: HostEvidence): Judgement {
  const documents = X402_MANIFEST_PATHS.map((path) => seen.read(path));
  const readings = [...documents, seen.read('/')];
  const routes = routeOutcomes(seen, 'x402', 'bare', 'answered').map(({ reading }) => reading);
  const others = seen.answersWith(402).filter((answer) => isForeign402(answer, seen));
  const unpaid = [...readings, ...routes, ...others.map((answer) => seen.readingOf(answer))];
  const other = unpaid.find((reading) => reading.kind === 'payment_required');
  // A host that answers 402 even to nonexistent paths has a gate in front (pay per crawl), so the content behind it is
  // unknown.
  const gated = seen.controls.some(({ status }) => status === 402);
  const found = nothingFound(readings.filter((reading) => gated || reading.kind !== 'payment_required'));
  const asked = [...readings.filter((reading) => reading === other), ...routes].flatMap((r) => exchangeOf(r) ?? []);
  const decidedBy = [...new Set([...found.decidedBy, ...asked, ...(unknown?.decidedBy ?? [])])];
  if (found.status === 'error') return { ...found, decidedBy };
  if (unknown?.status === 'error') return { ...unknown, decidedBy };
  return {
    ...found,
    ...unknown,
    details: {
      ...found.details,
      ...pageDetails(documents),
      ...(other && foreign402(other.answer)),
      ...unknown?.details,
      ...(unknown && routesOf(seen)),
    },
    findings: behindValidation(seen, 'x402'),
    decidedBy,
  };
}

/** By behaviour 5.7, an HTML page at the well-known path is `absent` with this note. */
function pageDetails(documents: readonly Reading[]): JsonObject {
  const page = documents.find((reading) => reading.kind === 'html');
  if (page) return { note: 'html_not_machine_document', catchAll: page.catchAll || undefined };
  if (documents.some((reading) => reading.kind === 'text')) return { note: 'text_not_machine_document' };
  return documents.some((reading) => reading.kind === 'empty') ? { note: 'empty_body' } : {};
}

function manifestDetails(manifest: PublishedManifest | undefined): JsonObject {
  if (!manifest) return {};
  const { family, keys, name, ownershipProofs, truncated, url } = manifest;
  return {
    manifest: url,
    family,
    keys: [...keys],
    name: name ?? undefined,
    ownershipProofs: ownershipProofs || undefined,
    truncated: truncated || undefined,
  };
}

function routesOf(seen: HostEvidence): JsonObject {
  const routes = advertisedRoutes(seen).map(({ method, url }) => ({ method, url }));
  return { routes: routes.length > 0 ? routes : undefined };
}

function exchangesOf(
  challenges: readonly X402Challenge[],
  manifest: PublishedManifest | undefined,
): readonly Exchange[] {
  return [...challenges.slice(0, MAX_ACCEPTS).map(({ answer }) => answer), ...(manifest ? [manifest.answer] : [])];
}

function optionsOf(challenges: readonly X402Challenge[]): readonly JudgedOption[] {
  return challenges.flatMap((challenge) =>
    challenge.accepts.map((accept) => {
      const check = checkAccept(accept, challenge.answer.observedAt);
      return { accept, check, clients: x402Clients(challenge, accept, check.networkId) };
    }),
  );
}

function isPayable({ check, clients }: JudgedOption): boolean {
  return check.reasons.length === 0 && !isUnpaid(clients);
}

function advise(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  return [...adviseAddress(addressFindings(seen, 'x402')), ...adviseTerms(judgement, seen)];
}

function adviseTerms(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  const note = detailOf(judgement, 'note');
  if (judgement.status === 'absent') return [note === 'html_not_machine_document' ? HTML : adviseMissing(note)];
  if (judgement.status === 'partial')
    return detailOf(judgement, 'reason') === NOT_EXERCISED && note === undefined ? [] : [advisePartial(note)];
  const options = optionsOf(x402Challenges(seen));
  if (options.length === 0) return [];
  if (!options.some(isPayable)) return [adviseUnpayable(options)];
  const undeclared = options.find(({ check }) => check.warnings.includes('eip712_domain_missing'));
  return undeclared ? [adviseDomain(undeclared.check)] : [];
}

/**
 * x402: payment over HTTP 402. Only a live challenge is decisive (behaviour 5.7; V2 in the `PAYMENT-REQUIRED` header,
 * V1 in the body); manifests and OpenAPI prices tell which routes may have one.
 */
export const x402 = defineDetector({
  id: 'x402',
  name: { short: 'x402', long: 'HTTP 402 payments' },
  spec: 'https://github.com/x402-foundation/x402/blob/main/specs/x402-specification-v2.md',
  rules: { release: '2', checked: '2026-11-25' },
  sells: true,
  gain: {
    priority: 1,
    effort: 'hours',
    why: 'Agents pay for a route only when its 402 gives the amount, the asset and the address.',
  },
  probes,
  followUps,
  exercises: routeExercises,
  judge: (seen) => withManifestHint(judge(seen), seen),
  advise,
});
