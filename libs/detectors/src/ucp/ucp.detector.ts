import { defineDetector } from '../judgement/detector';
import { leakedPrivateKey } from '../documents/private-key';
import {
  askedOf,
  documentRequest,
  noDocument,
  servingFindings,
  type Candidate,
  type DocumentCandidate,
} from '../documents/well-known-json';
import { type ProbeRequest, header, headerValues, type Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { isObject, text, type JsonObject } from '../formats/json';
import { findingsWhere, type Finding, type Judgement } from '../judgement/judgement';
import { endpointFindings, endpointRequests, endpointStates, endpointStatus } from './endpoint-probe';
import { profileFault } from './profile-fault';
import { advise } from './profile-fixes';
import { keyFindings } from './key-findings';
import { leafCandidates, leafFindings, leafRequests, supportedVersions } from './leaves';
import { preferredBinding, PROFILE_PATH, PROFILES, readProfile, TRANSPORTS, type Profile, isSince } from './profile';
import { profileFindings } from './profile-findings';
import { chosenDocument, publishedProfile } from './published-profile';

/** The shortest freshness that a profile may state, in seconds (UCP overview, Hosting, since 2026-04-08). */
const MIN_MAX_AGE_SEC = 60;

/**
 * Rules on serving a profile. Since 2026-04-08 it must be `public` with `max-age` of at least 60 s and never `private`,
 * `no-store` or `no-cache`; since 2026-08-25 it should have a validator. Older releases have no rules.
 */
function hostingFindings(answer: Answer, version: string | undefined): readonly Finding[] {
  if (!isSince(version, '2026-04-08')) return [];
  const finding = cacheFinding(headerValues(answer, 'cache-control').join(','));
  const validated = (header(answer, 'etag') ?? header(answer, 'last-modified')) !== undefined;
  return [
    ...(finding === undefined ? [] : [{ id: finding, at: 'cache-control' }]),
    ...findingsWhere([[isSince(version, '2026-08-25') && !validated, 'no_validator', 'etag']]),
  ];
}

function cacheFinding(value: string): string | undefined {
  const directives = value
    .toLowerCase()
    .split(',', 50)
    .map((directive) => directive.trim());
  if (directives.every((directive) => directive === '')) return 'cache_control_missing';
  if (directives.some((directive) => /^(?:private|no-store|no-cache)\b/.test(directive)))
    return 'cache_control_forbids';
  if (!directives.includes('public')) return 'cache_control_not_public';
  const seconds = directives.map((directive) => /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1]).find(Boolean);
  return seconds === undefined || Number(seconds) < MIN_MAX_AGE_SEC ? 'cache_max_age_short' : undefined;
}

function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  const found = publishedProfile(seen);
  return [...PROFILES.followUps(seen), ...(found ? leafRequests(found.profile, seen) : [])];
}

function exercises(seen: HostEvidence): readonly ProbeRequest[] {
  const found = publishedProfile(seen);
  return found ? endpointRequests(found.profile, seen) : [];
}

function judge(seen: HostEvidence): Judgement {
  const all = PROFILES.candidates(seen);
  const document = chosenDocument(all);
  if (!document) return noDocument(all);
  const profile = readProfile(document.value);
  const leaves = profile ? leafCandidates(profile, seen) : [];
  const leak = firstLeak([document, ...leaves]);
  const findings = [
    ...(leak === undefined ? [] : [{ id: 'private_key_leaked', at: leak }]),
    ...documentFindings(document, profile, seen),
    ...(profile ? [...leafFindings(profile, seen), ...endpointFindings(profile, seen)] : []),
  ];
  const note = statusNote(document, seen);
  return {
    status: note === undefined ? 'present' : 'partial',
    version: profile?.version ?? null,
    details: { ...detailsOf(document, profile, findings, seen), note },
    findings,
    decidedBy: askedOf([...all, ...leaves]),
    withholdExcerpts: leak !== undefined,
  };
}

/** Why a document is only `partial`. Agents must not follow a redirect to a profile. */
function statusNote({ value, path, answer }: DocumentCandidate, seen: HostEvidence): string | undefined {
  const fault = profileFault(value, answer.observedAt);
  return fault ?? (seen.isRedirected(path, answer) ? 'redirected' : undefined);
}

function documentFindings(
  document: DocumentCandidate,
  profile: Profile | undefined,
  seen: HostEvidence,
): readonly Finding[] {
  return [
    ...findingsWhere([
      [document.path !== PROFILE_PATH, 'nonstandard_path', document.path],
      [seen.isRedirected(document.path, document.answer), 'redirected', document.answer.finalUrl],
    ]),
    ...servingFindings(document),
    ...(profile
      ? [...hostingFindings(document.answer, profile.version), ...profileFindings(profile), ...keyFindings(profile)]
      : []),
  ];
}

function detailsOf(
  { value, path, answer }: DocumentCandidate,
  profile: Profile | undefined,
  findings: readonly Finding[],
  seen: HostEvidence,
): JsonObject {
  return {
    keys: isObject(value) ? Object.keys(value) : undefined,
    endpoint: profile && text(preferredBinding(profile)?.endpoint),
    path,
    releases: profile?.fits,
    profile: profile && profileDetails(profile, findings),
    endpointStatus: profile && endpointStatus(profile, seen),
    endpointStates: profile && endpointStates(profile, seen),
    truncated: answer.truncated || undefined,
  };
}

function firstLeak(all: readonly Candidate[]): string | undefined {
  for (const candidate of all) {
    const leak = candidate.kind === 'document' ? leakedPrivateKey(candidate.value) : undefined;
    if (leak !== undefined) return leak;
  }
  return undefined;
}

/** The report's `ucp` object (behaviour 3.7). `signingKeys` is the number of published keys; the rest are names. */
function profileDetails(profile: Profile, findings: readonly Finding[]): JsonObject {
  const preferred = preferredBinding(profile);
  return {
    version: profile.version ?? null,
    shape: profile.shape,
    endpoint: text(preferred?.endpoint) ?? null,
    transports: TRANSPORTS.filter((name) => profile.bindings.some(({ transport }) => transport === name)),
    capabilities: distinct(profile.capabilities.map(({ name }) => name)),
    paymentHandlers: distinct(profile.handlers.map(({ name }) => name)),
    signingKeys: profile.keys.length,
    supportedVersions: supportedVersions(profile),
    findings: findings.map((finding) => ({ ...finding })),
  };
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== ''))];
}

/** Universal Commerce Protocol: the business profile of a shop. Behaviour 5.1; https://ucp.dev/latest/specification/overview/. */
export const ucp = defineDetector({
  id: 'ucp',
  name: { short: 'UCP', long: 'Universal Commerce Protocol' },
  spec: 'https://ucp.dev/latest/specification/overview/',
  rules: { release: '2026-08-25', checked: '2026-11-22' },
  sells: true,
  gain: {
    priority: 2,
    effort: 'days',
    why: 'Shopping agents read this profile to learn what they can buy here, and at which endpoints.',
  },
  probes: [documentRequest(PROFILE_PATH)],
  followUps,
  exercises,
  judge,
  advise,
});
