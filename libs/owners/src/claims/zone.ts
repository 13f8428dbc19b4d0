import { getPublicSuffix } from 'tldts';
import type { RecordAnswer, RecordAnswers } from './proof';

/** The maximum number of stored name servers of a zone, and the maximum length of a name. */
const MAX_SERVERS = 20;
const MAX_NAME = 255;

/**
 * The state of a claim's zone: `gone` if its registrable domain no longer exists, `moved` if none of its name servers
 * is one of those when the record was last found, `unknown` if the resolvers disagree.
 */
export const ZONE_FINDINGS = ['kept', 'moved', 'gone', 'unknown'] as const;

/** Whether the subdomains of the name belong to many tenants (`github.io`), so that it is not the host of one owner. */
export function isSuffixOfTenants(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

/**
 * Evaluates what the resolvers say about the name servers of a domain (undefined for one that did not answer). The
 * result is unknown unless all of them agree.
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

/** A name with a CNAME has no zone of its own. */
function serversOf(answer: RecordAnswer | undefined): readonly string[] {
  if (answer?.target !== null) return [];
  const names = answer.records
    .map((name) => name.toLowerCase())
    .filter((name) => name !== '' && name.length <= MAX_NAME);
  return [...new Set(names)].toSorted().slice(0, MAX_SERVERS);
}
