import { defineDetector, type Finding, type Judgement } from './detector';
import type { ProbeRequest } from './exchange';
import type { HostEvidence } from './host-evidence';
import { isObject, text, type JsonObject } from './json';
import { leakedPrivateKey } from './private-key';
import { endpointFindings, endpointRequests, endpointStatus } from './ucp/endpoint-look';
import { profileFault } from './ucp/fault';
import { advise } from './ucp/fixes';
import { hostingFindings } from './ucp/hosting-findings';
import { keyFindings } from './ucp/key-findings';
import { leafCandidates, leafFindings, leafRequests } from './ucp/leaves';
import { preferredBinding, readProfile, type Profile } from './ucp/profile';
import { profileFindings } from './ucp/profile-findings';
import { profileDetails } from './ucp/summary';
import {
  askedOf,
  candidateAt,
  documentRequest,
  documentToJudge,
  isPlainHttp,
  leadsOn,
  noDocument,
  servingFindings,
  type Candidate,
  type DocumentCandidate,
} from './well-known-json';

/** The only location in every release (https://ucp.dev/latest/specification/overview/). */
const PATH = '/.well-known/ucp';

/** Not in the specification, but served by a large platform beside the path above and looked for by other readers. */
const FALLBACK = '/.well-known/ucp.json';

function candidates(seen: HostEvidence): readonly Candidate[] {
  return [candidateAt(seen, PATH), candidateAt(seen, FALLBACK)];
}

function chosen(all: readonly Candidate[]): DocumentCandidate | undefined {
  return documentToJudge(all, ({ value, answer }) => profileFault(value, answer.observedAt));
}

function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  const all = candidates(seen);
  const profile = readProfile(chosen(all)?.value ?? null);
  return [
    ...(all[0] && leadsOn(all[0]) ? [documentRequest(FALLBACK)] : []),
    ...(profile ? leafRequests(profile, seen) : []),
  ];
}

function exercises(seen: HostEvidence): readonly ProbeRequest[] {
  const profile = readProfile(chosen(candidates(seen))?.value ?? null);
  return profile ? endpointRequests(profile, seen) : [];
}

function judge(seen: HostEvidence): Judgement {
  const all = candidates(seen);
  const document = chosen(all);
  if (!document) return noDocument(all);
  const profile = readProfile(document.value);
  const leaves = profile ? leafCandidates(profile, seen) : [];
  const leak = firstLeak([document, ...leaves]);
  const findings = [
    ...(leak === undefined ? [] : [{ id: 'private_key_leaked', at: leak }]),
    ...documentFindings(document, profile),
    ...(profile ? [...leafFindings(profile, seen), ...endpointFindings(profile, seen)] : []),
  ];
  const note = verdictNote(document);
  return {
    status: note === undefined ? 'present' : 'partial',
    version: profile?.version ?? null,
    details: { ...detailsOf(document, profile, findings, seen), ...(note === undefined ? {} : { note }) },
    findings,
    decidedBy: askedOf([...all, ...leaves]),
    ...(leak === undefined ? {} : { withholdExcerpts: true }),
  };
}

/** Why a document is only `partial`. Agents must not follow a redirect to a profile, nor take one over plain http. */
function verdictNote({ value, answer }: DocumentCandidate): string | undefined {
  const fault = profileFault(value, answer.observedAt);
  if (fault !== undefined) return fault;
  if (answer.redirects.length > 0) return 'redirected';
  return isPlainHttp(answer) ? 'not_https' : undefined;
}

function documentFindings(document: DocumentCandidate, profile: Profile | undefined): readonly Finding[] {
  return [
    ...(document.path === PATH ? [] : [{ id: 'nonstandard_path', at: document.path }]),
    ...(document.answer.redirects.length > 0 ? [{ id: 'redirected', at: document.answer.finalUrl }] : []),
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
  const endpoint = profile && text(preferredBinding(profile)?.endpoint);
  const status = profile && endpointStatus(profile, seen);
  return {
    ...(isObject(value) ? { keys: Object.keys(value) } : {}),
    ...(endpoint === undefined ? {} : { endpoint }),
    path,
    ...(profile ? { releases: profile.fits, profile: profileDetails(profile, findings) } : {}),
    ...(status === undefined ? {} : { endpointStatus: status }),
    ...(answer.truncated ? { truncated: true } : {}),
  };
}

function firstLeak(all: readonly Candidate[]): string | undefined {
  for (const candidate of all) {
    const leak = candidate.kind === 'document' ? leakedPrivateKey(candidate.value) : undefined;
    if (leak !== undefined) return leak;
  }
  return undefined;
}

/** Universal Commerce Protocol: the business profile of a shop. Spec 2.6; https://ucp.dev/latest/specification/overview/. */
export const ucp = defineDetector({
  id: 'ucp',
  name: { short: 'UCP', long: 'Universal Commerce Protocol' },
  spec: 'https://ucp.dev/latest/specification/overview/',
  probes: [documentRequest(PATH)],
  followUps,
  exercises,
  judge,
  advise,
});
