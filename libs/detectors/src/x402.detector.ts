import { defineDetector, type Finding, type FixAdvice, type Judgement } from './detector';
import type { Exchange, ProbeRequest } from './exchange';
import type { HostEvidence } from './host-evidence';
import { type JsonObject } from './json';
import { parseUrl } from './parse-url';
import { advertisedRoutes, routeExercises, routeReadings } from './payment/advertised-routes';
import { foreign402, foreignDetails } from './payment/foreign-402';
import { publishedManifest, type PublishedManifest } from './payment/published-manifest';
import { adviseDomain, adviseHtml, adviseMissing, advisePartial, adviseUnpayable } from './payment/x402-advice';
import { x402Challenges, type X402Challenge } from './payment/x402-challenge';
import { checkAccept } from './payment/x402-checks';
import type { Reading } from './reading';
import { nothingFound } from './verdict';

const MANIFEST_PATH = '/.well-known/x402';
const FALLBACK_PATH = '/.well-known/x402.json';

/** The largest manifest of a census of 972 was 383 KB; one of 793 KB is known. */
const MAX_MANIFEST_BYTES = 1_048_576;
const MAX_OPENAPI_BYTES = 5_000_000;

const MAX_ACCEPTS = 10;

const probes: readonly ProbeRequest[] = [
  { method: 'GET', url: '/' },
  { method: 'GET', url: MANIFEST_PATH, maxBytes: MAX_MANIFEST_BYTES },
  { method: 'GET', url: '/openapi.json', maxBytes: MAX_OPENAPI_BYTES },
];

/** The `.json` spelling is a proposal that 8 % of hosts use: asked when the common one holds no manifest. */
function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  const { kind } = seen.read(MANIFEST_PATH);
  return kind === 'json' || kind === 'payment_required'
    ? []
    : [{ method: 'GET', url: FALLBACK_PATH, maxBytes: MAX_MANIFEST_BYTES }];
}

function judge(seen: HostEvidence): Judgement {
  const challenges = x402Challenges(seen);
  const manifest = publishedManifest(seen);
  const sound = challenges.filter((challenge) => challenge.sound);
  if (sound.length > 0) return fromChallenges('present', sound, challenges, manifest, seen);
  if (manifest?.sound) return fromManifest('present', manifest, challenges, seen);
  if (challenges.length > 0) return fromChallenges('partial', challenges, challenges, manifest, seen);
  if (manifest) return fromManifest('partial', manifest, challenges, seen);
  return nothing(seen);
}

function fromChallenges(
  status: 'present' | 'partial',
  deciding: readonly X402Challenge[],
  all: readonly X402Challenge[],
  manifest: PublishedManifest | undefined,
  seen: HostEvidence,
): Judgement {
  const note = status === 'partial' ? deciding[0]?.faults[0] : undefined;
  const versions = [
    ...new Set(deciding.flatMap((challenge) => challenge.accepts.map(({ version }) => version))),
  ].sort();
  return {
    status,
    version: versions.length > 0 ? versions.join('+') : null,
    details: {
      ...(note === undefined ? {} : { note }),
      dialects: [...new Set(deciding.flatMap((challenge) => challenge.dialects))],
      accepts: deciding.flatMap(acceptsOf).slice(0, MAX_ACCEPTS),
      ...manifestDetails(manifest),
      ...routesOf(seen),
    },
    findings: [...findingsOf(all, manifest), ...manifestFaults(manifest, seen)],
    decidedBy: exchangesOf(deciding, manifest),
  };
}

/** A live challenge decides whatever the manifest says, which the owner still wants to know. */
function manifestFaults(manifest: PublishedManifest | undefined, seen: HostEvidence): readonly Finding[] {
  if (manifest) return manifest.note === undefined ? [] : [{ id: manifest.note, at: manifest.url }];
  const { note } = pageDetails([seen.read(MANIFEST_PATH)].filter((page) => page.kind !== 'html' || !page.habitual));
  return typeof note === 'string' ? [{ id: note, at: MANIFEST_PATH }] : [];
}

function fromManifest(
  status: 'present' | 'partial',
  manifest: PublishedManifest,
  challenges: readonly X402Challenge[],
  seen: HostEvidence,
): Judgement {
  return {
    status,
    version: manifest.version === null ? null : String(manifest.version),
    details: {
      ...(manifest.note === undefined ? {} : { note: manifest.note }),
      ...manifestDetails(manifest),
      ...routesOf(seen),
    },
    findings: [...findingsOf(challenges, manifest), ...behindValidation(seen)],
    decidedBy: exchangesOf(challenges, manifest),
  };
}

/** Nothing of x402: told apart from "could not look", from a page in place of a manifest, and from other 402s. */
function nothing(seen: HostEvidence): Judgement {
  const documents = [seen.read(MANIFEST_PATH), seen.read(FALLBACK_PATH)];
  const readings = [...documents, seen.read('/'), ...routeReadings(seen, 'x402')];
  const unpaid = readings.filter((reading) => reading.kind === 'payment_required');
  // A 402 for everything, nonsense included, is a gate before the host (pay per crawl): what is behind it is unknown.
  const gated = seen.habit === 'walled';
  const found = nothingFound(readings.filter((reading) => gated || reading.kind !== 'payment_required'));
  const decidedBy = [...new Set([...found.decidedBy, ...unpaid.map((reading) => reading.answer)])];
  if (found.status === 'error') return { ...found, decidedBy };
  return {
    ...found,
    details: {
      ...found.details,
      ...pageDetails(documents),
      ...(unpaid[0] ? foreignDetails(foreign402(unpaid[0].answer)) : {}),
    },
    findings: behindValidation(seen),
    decidedBy,
  };
}

/** Spec 2.6: an HTML page at the well-known path is `absent` with this note. */
function pageDetails(documents: readonly Reading[]): JsonObject {
  const page = documents.find((reading) => reading.kind === 'html');
  if (page) return { note: 'html_not_machine_document', ...(page.habitual ? { catchAll: true } : {}) };
  if (documents.some((reading) => reading.kind === 'text')) return { note: 'text_not_machine_document' };
  return documents.some((reading) => reading.kind === 'empty') ? { note: 'empty_body' } : {};
}

function acceptsOf(challenge: X402Challenge): readonly JsonObject[] {
  return challenge.accepts.map((accept) => {
    const check = checkAccept(accept);
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
    ...(name === null ? {} : { name }),
    ...(ownershipProofs ? { ownershipProofs: true } : {}),
    ...(truncated ? { truncated: true } : {}),
  };
}

function routesOf(seen: HostEvidence): JsonObject {
  const routes = advertisedRoutes(seen).map(({ method, url }) => ({ method, url }));
  return routes.length > 0 ? { routes } : {};
}

function findingsOf(challenges: readonly X402Challenge[], manifest: PublishedManifest | undefined): readonly Finding[] {
  const found = challenges.flatMap((challenge) => {
    const at = challenge.answer.finalUrl;
    const warnings = challenge.accepts.flatMap((accept) => checkAccept(accept).warnings);
    return [...challenge.faults, ...warnings, ...resourceFault(challenge)].map((id) => ({ id, at }));
  });
  const all = [...found, ...(manifest?.findings ?? [])];
  return [...new Map(all.map((finding) => [`${finding.id} ${finding.at ?? ''}`, finding])).values()];
}

/** Clients that compare the challenge's resource with the address they called refuse to pay. */
function resourceFault({ resource, accepts, answer }: X402Challenge): readonly string[] {
  if (resource === null) return accepts.some(({ version }) => version === 2) ? ['resource_missing'] : [];
  const host = parseUrl(resource)?.host;
  return host === undefined || host === parseUrl(answer.finalUrl)?.host ? [] : ['resource_host_mismatch'];
}

/** A route that validates before it charges: our empty request cannot reach its challenge. */
function behindValidation(seen: HostEvidence): readonly Finding[] {
  return routeReadings(seen, 'x402').flatMap((reading) =>
    reading.kind === 'refused' && [400, 422].includes(reading.answer.status)
      ? [{ id: 'payment_gate_behind_validation', at: reading.answer.finalUrl }]
      : [],
  );
}

function exchangesOf(
  challenges: readonly X402Challenge[],
  manifest: PublishedManifest | undefined,
): readonly Exchange[] {
  return [...challenges.slice(0, MAX_ACCEPTS).map(({ answer }) => answer), ...(manifest ? [manifest.answer] : [])];
}

function advise(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  const note = judgement.details?.['note'];
  if (judgement.status === 'absent') return [note === 'html_not_machine_document' ? adviseHtml() : adviseMissing()];
  if (judgement.status === 'partial') return [advisePartial(typeof note === 'string' ? note : undefined)];
  const options = x402Challenges(seen).flatMap(({ accepts }) =>
    accepts.map((accept) => ({ accept, check: checkAccept(accept) })),
  );
  if (options.length === 0) return [];
  if (options.every(({ check }) => check.reasons.length > 0)) return [adviseUnpayable(options)];
  const undeclared = options.find(({ check }) => check.warnings.includes('eip712_domain_missing'));
  return undeclared ? [adviseDomain(undeclared.check)] : [];
}

/**
 * x402: payment over HTTP 402. A live challenge is the only authority (spec 2.6; V2 in the `PAYMENT-REQUIRED` header,
 * V1 in the body); manifests and OpenAPI prices say where to look for one.
 */
export const x402 = defineDetector({
  id: 'x402',
  name: { short: 'x402', long: 'HTTP 402 payments' },
  spec: 'https://github.com/x402-foundation/x402/blob/main/specs/x402-specification-v2.md',
  probes,
  followUps,
  exercises: routeExercises,
  judge,
  advise,
});
