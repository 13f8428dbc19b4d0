import { defineDetector } from './detector';
import type { Exchange, ProbeRequest } from './evidence/exchange';
import type { HostEvidence } from './evidence/host-evidence';
import type { Reading } from './evidence/reading';
import type { JsonObject } from './formats/json';
import { parseUrl } from './formats/parse-url';
import { detailOf, type Finding, type FixAdvice, type Judgement } from './judgement/judgement';
import { exchangeOf, nothingFound } from './judgement/nothing-found';
import { CATALOGUE_PROBE, DESCRIPTION_PROBE, descriptionFollowUps, forPrices } from './openapi/published-descriptions';
import {
  advertisedRoutes,
  behindValidation,
  gatedByValidation,
  NOT_EXERCISED,
  routeExercises,
  routeReadings,
  unexercised,
} from './payment/advertised-routes';
import { continuity } from './payment/continuity';
import { foreign402 } from './evidence/foreign-402';
import { publishedManifest, type PublishedManifest } from './payment/published-manifest';
import {
  adviseDomain,
  advisePartial,
  adviseUnpayable,
  HTML,
  MISSING,
  type JudgedOption,
} from './payment/advice/x402-advice';
import { isUnpaid } from './payment/advice/client-advice';
import { x402Clients } from './payment/clients/x402-clients';
import { x402Challenges, type X402Challenge } from './payment/x402-challenge';
import { checkAccept } from './payment/x402-checks';

const MANIFEST_PATH = '/.well-known/x402';
const FALLBACK_PATH = '/.well-known/x402.json';

/** The largest manifest of a census of 972 was 383 KB; one of 793 KB is known. */
const MAX_MANIFEST_BYTES = 1_048_576;

const MAX_ACCEPTS = 10;
const MAX_EXTENSIONS = 20;

const probes: readonly ProbeRequest[] = [
  { method: 'GET', url: '/' },
  { method: 'GET', url: MANIFEST_PATH, maxBytes: MAX_MANIFEST_BYTES },
  ...forPrices([DESCRIPTION_PROBE]),
];

/** The `.json` spelling is a proposal that 8 % of hosts use: requested when the common one holds no manifest. */
function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  const { kind } = seen.read(MANIFEST_PATH);
  const fallback: ProbeRequest = { method: 'GET', url: FALLBACK_PATH, maxBytes: MAX_MANIFEST_BYTES, optional: true };
  return [
    ...(kind === 'json' || kind === 'payment_required' ? [] : [fallback]),
    ...forPrices([...descriptionFollowUps(seen), CATALOGUE_PROBE]),
  ];
}

/** Sound challenges decide, then a sound manifest, then whatever else there is. */
function judge(seen: HostEvidence): Judgement {
  const challenges = x402Challenges(seen);
  const manifest = publishedManifest(seen);
  if (challenges.length === 0 && !manifest) return nothing(seen);
  const sound = challenges.filter((challenge) => challenge.sound);
  const deciding = sound.length > 0 ? sound : challenges;
  const byManifest = sound.length === 0 && (manifest?.sound === true || challenges.length === 0);
  const waiting = byManifest ? unexercised(seen, 'x402') : undefined;
  const agreed = continuity(seen, 'x402');
  // What a full probe had no time to call is not known to be callable; a presence probe calls nothing.
  const uncalled = waiting !== undefined && seen.asked('callability');
  return {
    status: sound.length > 0 || (manifest?.sound && !uncalled) ? 'present' : 'partial',
    version: byManifest ? (manifest?.version?.toString() ?? null) : versionsOf(deciding),
    details: {
      note: byManifest ? manifest?.note : sound.length > 0 ? undefined : deciding[0]?.faults[0],
      dialects: byManifest ? undefined : [...new Set(deciding.flatMap((challenge) => challenge.dialects))],
      accepts: byManifest ? undefined : deciding.flatMap(acceptsOf).slice(0, MAX_ACCEPTS),
      extensions: extensionsOf(deciding),
      ...manifestDetails(manifest),
      ...agreed.details,
      ...waiting?.details,
      ...routesOf(seen),
    },
    findings: [
      ...findingsOf(challenges, manifest, seen),
      ...agreed.findings,
      ...(byManifest ? behindValidation(seen, 'x402') : manifestFaults(manifest, seen)),
    ],
    decidedBy: exchangesOf(deciding, manifest),
  };
}

/** Names of what challenges say beyond the payment (`bazaar`, `offer-receipt`, `sign-in-with-x`, ...); none decides anything. */
function extensionsOf(challenges: readonly X402Challenge[]): readonly string[] | undefined {
  const names = new Set(challenges.flatMap(({ extensions }) => Object.keys(extensions)));
  return names.size === 0 ? undefined : [...names].sort().slice(0, MAX_EXTENSIONS);
}

function versionsOf(challenges: readonly X402Challenge[]): string | null {
  const versions = new Set(challenges.flatMap(({ accepts }) => accepts.map(({ version }) => version)));
  return [...versions].sort().join('+') || null;
}

/** A live challenge decides whatever the manifest says, which the owner still wants to know. */
function manifestFaults(manifest: PublishedManifest | undefined, seen: HostEvidence): readonly Finding[] {
  if (manifest) return manifest.note === undefined ? [] : [{ id: manifest.note, at: manifest.url }];
  const { note } = pageDetails([seen.read(MANIFEST_PATH)].filter((page) => page.kind !== 'html' || !page.habitual));
  return typeof note === 'string' ? [{ id: note, at: MANIFEST_PATH }] : [];
}

/** Nothing of x402: told apart from "could not see it", from a page in place of a manifest, and from other 402s. */
function nothing(seen: HostEvidence): Judgement {
  const documents = [seen.read(MANIFEST_PATH), seen.read(FALLBACK_PATH)];
  const routes = routeReadings(seen, 'x402');
  // A route that refuses the probe's empty request was asked all the same; a document that is refused was not seen.
  const readings = [...documents, seen.read('/'), ...routes.filter(({ kind }) => kind !== 'refused')];
  const unpaid = readings.filter((reading) => reading.kind === 'payment_required');
  // A 402 for everything, nonsense included, is a gate before the host (pay per crawl): what is behind it is unknown.
  const gated = seen.controls.some(({ status }) => status === 402);
  const found = nothingFound(readings.filter((reading) => gated || reading.kind !== 'payment_required'));
  const decidedBy = [...new Set([...found.decidedBy, ...[...unpaid, ...routes].flatMap((r) => exchangeOf(r) ?? [])])];
  if (found.status === 'error') return { ...found, decidedBy };
  const unknown = unexercised(seen, 'x402');
  const refusing = gatedByValidation(seen, 'x402');
  return {
    ...found,
    ...refusing,
    ...unknown,
    details: {
      ...found.details,
      ...unknown?.details,
      ...(unknown && routesOf(seen)),
      ...pageDetails(documents),
      ...(unpaid[0] && foreign402(unpaid[0].answer)),
      ...refusing?.details,
    },
    findings: behindValidation(seen, 'x402'),
    decidedBy: [...new Set([...decidedBy, ...(unknown?.decidedBy ?? [])])],
  };
}

/** Behaviour 5.7: an HTML page at the well-known path is `absent` with this note. */
function pageDetails(documents: readonly Reading[]): JsonObject {
  const page = documents.find((reading) => reading.kind === 'html');
  if (page) return { note: 'html_not_machine_document', catchAll: page.habitual || undefined };
  if (documents.some((reading) => reading.kind === 'text')) return { note: 'text_not_machine_document' };
  return documents.some((reading) => reading.kind === 'empty') ? { note: 'empty_body' } : {};
}

function acceptsOf(challenge: X402Challenge): readonly JsonObject[] {
  return challenge.accepts.map((accept) => {
    const check = checkAccept(accept, challenge.answer.observedAt);
    return {
      version: accept.version,
      scheme: accept.scheme,
      network: check.networkId,
      asset: accept.asset,
      assetSymbol: check.token?.symbol ?? null,
      amount: accept.amount,
      amountUsd: check.amountUsd,
      payTo: accept.payTo,
      resource: challenge.answer.finalUrl,
      reasons: check.reasons,
    };
  });
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

function findingsOf(
  challenges: readonly X402Challenge[],
  manifest: PublishedManifest | undefined,
  seen: HostEvidence,
): readonly Finding[] {
  const found = challenges.flatMap((challenge) => {
    const at = challenge.answer.finalUrl;
    const warnings = challenge.accepts.flatMap((accept) => {
      const check = checkAccept(accept, challenge.answer.observedAt);
      // No client of Circle Gateway pays under a foreign contract: said of the host, not of the option alone.
      return [...check.warnings, ...check.reasons.filter((reason) => reason.startsWith('gateway_'))];
    });
    return [...challenge.faults, ...warnings, ...resourceFault(challenge, seen)].map((id) => ({ id, at }));
  });
  const all = [...found, ...(manifest?.findings ?? [])];
  return [...new Map(all.map((finding) => [`${finding.id} ${finding.at ?? ''}`, finding])).values()];
}

/** Clients that compare the challenge's resource with the address they called refuse to pay. */
function resourceFault({ resource, accepts, answer }: X402Challenge, seen: HostEvidence): readonly string[] {
  if (resource === null) return accepts.some(({ version }) => version === 2) ? ['resource_missing'] : [];
  const host = parseUrl(seen.addressOf(resource))?.host;
  return host === undefined || host === parseUrl(answer.finalUrl)?.host ? [] : ['resource_host_mismatch'];
}

function exchangesOf(
  challenges: readonly X402Challenge[],
  manifest: PublishedManifest | undefined,
): readonly Exchange[] {
  return [...challenges.slice(0, MAX_ACCEPTS).map(({ answer }) => answer), ...(manifest ? [manifest.answer] : [])];
}

function advise(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  const note = detailOf(judgement, 'note');
  if (judgement.status === 'absent') return [note === 'html_not_machine_document' ? HTML : MISSING];
  if (judgement.status === 'partial')
    return detailOf(judgement, 'reason') === NOT_EXERCISED && note === undefined ? [] : [advisePartial(note)];
  const options = x402Challenges(seen).flatMap((challenge) =>
    challenge.accepts.map((accept) => {
      const check = checkAccept(accept, challenge.answer.observedAt);
      return { accept, check, clients: x402Clients(challenge, accept, check.networkId) };
    }),
  );
  if (options.length === 0) return [];
  const isPayable = ({ check, clients }: JudgedOption) => check.reasons.length === 0 && !isUnpaid(clients);
  if (!options.some(isPayable)) return [adviseUnpayable(options)];
  const undeclared = options.find(({ check }) => check.warnings.includes('eip712_domain_missing'));
  return undeclared ? [adviseDomain(undeclared.check)] : [];
}

/**
 * x402: payment over HTTP 402. A live challenge is the only authority (behaviour 5.7; V2 in the `PAYMENT-REQUIRED` header,
 * V1 in the body); manifests and OpenAPI prices say which routes may have one.
 */
export const x402 = defineDetector({
  id: 'x402',
  name: { short: 'x402', long: 'HTTP 402 payments' },
  spec: 'https://github.com/x402-foundation/x402/blob/main/specs/x402-specification-v2.md',
  rules: { release: '2', checked: '2026-11-22' },
  gain: {
    priority: 1,
    effort: 'hours',
    why: 'An agent pays for a route only when its 402 says how much, in which asset and to which address.',
  },
  probes,
  followUps,
  exercises: (seen) => [...routeExercises(seen), ...followUps(seen)],
  judge,
  advise,
});
