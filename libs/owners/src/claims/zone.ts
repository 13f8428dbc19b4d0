import { getPublicSuffix } from 'tldts';
import type { RecordAnswer, RecordAnswers } from './proof';

/** Most name servers of a zone that are kept, and letters of a name. */
const MAX_SERVERS = 20;
const MAX_NAME = 255;

/**
 * What became of the zone that a claim is in: `gone` when its registrable domain is not there any more, `moved` when it has
 * no name server in common with those it had when control was last seen, `unknown` when name servers do not all say the same.
 */
export const ZONE_FINDINGS = ['kept', 'moved', 'gone', 'unknown'] as const;

/** Whether hosts of many tenants are below the name (`github.io`), so that it is no host of one owner. */
export function isSuffixOfTenants(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

/**
 * What all resolvers say of the name servers of a domain, one that is silent undefined: without all of them saying the same
 * nothing is known.
 */
export function zoneFinding(
  answers: RecordAnswers,
  known: readonly string[],
): { readonly zone: (typeof ZONE_FINDINGS)[number]; readonly nameServers: readonly string[] } {
  const [first, ...others] = answers;
  const nameServers = serversOf(first);
  const unknown = { zone: 'unknown', nameServers: [] } as const;
  if (!first || others.some((each) => each?.exists !== first.exists || serversOf(each).join() !== nameServers.join())) {
    return unknown;
  }
  if (!first.exists) return { zone: 'gone', nameServers: [] };
  if (nameServers.length === 0) return unknown;
  const isMoved = known.length > 0 && !nameServers.some((name) => known.includes(name));
  return { zone: isMoved ? 'moved' : 'kept', nameServers };
}

/** A name that is a CNAME has no zone of its own. */
function serversOf(answer: RecordAnswer | undefined): readonly string[] {
  if (answer?.target !== null) return [];
  const names = answer.records
    .map((name) => name.toLowerCase())
    .filter((name) => name !== '' && name.length <= MAX_NAME);
  return [...new Set(names)].toSorted().slice(0, MAX_SERVERS);
}
