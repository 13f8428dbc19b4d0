import { candidateAt, documentRequest, type Candidate } from '../documents/well-known-json';
import type { ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import type { Reading } from '../evidence/reading';
import { isObject, jsonPath, member, text } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { findingsWhere, type Finding } from '../judgement/judgement';
import { profileFault } from './profile-fault';
import { isDate, readProfile, type Profile } from './profile';
import { profileFindings } from './profile-findings';

/** How many leaf profiles are requested; agents choose one, and hosts list two or three. */
const MAX_LEAVES = 3;

/** How many leaf profiles of the list are read; there is one per release. */
const MAX_LISTED = 50;

interface Leaf {
  readonly version: string;
  readonly at: string;
  readonly uri: string | undefined;
}

/** Profiles of older releases that a profile links (`supported_versions`, since 2026-04-08), newest first. */
function leavesOf(profile: Profile): readonly Leaf[] {
  const map = member(profile.ucp, 'supported_versions');
  if (!isObject(map)) return [];
  return Object.entries(map)
    .slice(0, MAX_LISTED)
    .map(([version, uri]) => ({ version, at: jsonPath('ucp.supported_versions', version), uri: text(uri) }))
    .sort((a, b) => (a.version < b.version ? 1 : -1));
}

/** The versions that a host supports in addition to that of its main profile. */
export function supportedVersions(profile: Profile): readonly string[] {
  return leavesOf(profile).map(({ version }) => version);
}

function askedLeaves(profile: Profile, seen: HostEvidence): readonly Leaf[] {
  return leavesOf(profile)
    .filter(({ version, uri }) => version !== profile.version && isDate(version) && isHttps(uri) && seen.sameSite(uri))
    .slice(0, MAX_LEAVES);
}

export function leafRequests(profile: Profile, seen: HostEvidence): readonly ProbeRequest[] {
  return askedLeaves(profile, seen).map(({ uri }) => ({ ...documentRequest(uri ?? ''), optional: true }));
}

/** The answers for the leaf profiles, for the evidence of the cell. */
export function leafCandidates(profile: Profile, seen: HostEvidence): readonly Candidate[] {
  return askedLeaves(profile, seen).map(({ uri }) => candidateAt(seen, uri ?? ''));
}

export function leafFindings(profile: Profile, seen: HostEvidence): readonly Finding[] {
  const map = member(profile.ucp, 'supported_versions');
  if (map !== undefined && !isObject(map)) return [{ id: 'member_invalid', at: 'ucp.supported_versions' }];
  const asked = new Set(askedLeaves(profile, seen).map(({ version }) => version));
  return leavesOf(profile).flatMap((leaf) => [
    ...declarationFaults(leaf, profile.version),
    ...(asked.has(leaf.version) ? answerFaults(leaf, seen) : []),
  ]);
}

function declarationFaults({ version, at, uri }: Leaf, current: string | undefined): readonly Finding[] {
  return findingsWhere([
    [!isDate(version), 'supported_version_not_a_date', at],
    [!isHttps(uri), 'leaf_not_https', at],
    [version === current, 'supported_version_repeats_current', at],
    [current !== undefined && isDate(version) && version > current, 'supported_version_newer', at],
  ]);
}

function answerFaults({ version, uri = '' }: Leaf, seen: HostEvidence): readonly Finding[] {
  const candidate = candidateAt(seen, uri);
  if (candidate.kind === 'nothing') {
    return findingsWhere([[!couldNotSee(candidate.reading), 'leaf_unreachable', uri]]);
  }
  const leaf = candidate.kind === 'document' ? readProfile(candidate.value) : undefined;
  if (candidate.kind !== 'document' || !leaf) return [{ id: 'leaf_not_a_profile', at: uri }];
  const fault = profileFault(candidate.value, candidate.answer.observedAt);
  return findingsWhere([
    [fault !== undefined, 'leaf_incomplete', uri],
    [fault === undefined && isFaulty(leaf), 'leaf_faulty', uri],
    [seen.isRedirected(uri, candidate.answer), 'leaf_redirected', uri],
    [leaf.version !== version, 'leaf_version_differs', uri],
    [member(leaf.ucp, 'supported_versions') !== undefined, 'leaf_lists_versions', uri],
  ]);
}

/** Whether a leaf has an entry that agents cannot use. */
function isFaulty(leaf: Profile): boolean {
  return profileFindings(leaf).some(({ id }) => /^(?:member_|entry_malformed|endpoint_)/.test(id));
}

/** If the prober was blocked, that says nothing about a leaf. */
function couldNotSee(reading: Reading): boolean {
  if (reading.kind === 'unasked') return true;
  return reading.kind === 'blocked' && ['rate_limited', 'bot_challenge'].includes(reading.reason);
}

function isHttps(uri: string | undefined): uri is string {
  return uri !== undefined && parseUrl(uri)?.protocol === 'https:';
}
