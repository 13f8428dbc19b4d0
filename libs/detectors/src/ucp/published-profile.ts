import { documentToJudge, type Candidate, type DocumentCandidate } from '../documents/well-known-json';
import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { text } from '../formats/json';
import { profileFault } from './profile-fault';
import { PROFILES, readProfile, type Profile, type Transport } from './profile';

/** The better one of the documents at the two paths. */
export function chosenDocument(all: readonly Candidate[]): DocumentCandidate | undefined {
  return documentToJudge(all, ({ value, answer }) => profileFault(value, answer.observedAt));
}

/** The profile of the host, valid or not, with its response; undefined if there is none. */
export function publishedProfile(
  seen: HostEvidence,
): { readonly profile: Profile; readonly answer: Answer } | undefined {
  const document = chosenDocument(PROFILES.candidates(seen));
  const profile = document && readProfile(document.value);
  return profile && { profile, answer: document.answer };
}

/** The first absolute URL of a transport on the probed site; only those may be requested. */
export function endpointOf(profile: Profile, transport: Transport, seen: HostEvidence): string | undefined {
  if (transport === 'embedded') return undefined;
  return profile.bindings
    .filter((binding) => binding.transport === transport)
    .map(({ endpoint }) => text(endpoint))
    .find((url) => url !== undefined && /^https?:\/\//i.test(url) && seen.sameSite(url));
}
