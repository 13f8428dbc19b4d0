import { getPublicSuffix } from 'tldts';
import { z } from 'zod';

/** Bytes that the file may have. */
const FILE_BYTES = 4_096;
const RECORD_CHARS = 1_024;
/** Most name servers of a zone that are kept, and letters of a name. */
const MAX_SERVERS = 20;
const MAX_NAME = 255;

/**
 * Where the record of a host is: exactly one host, never what is below it (draft-ietf-dnsop-domain-verification-techniques-12).
 * @param domain A-labels, vetted
 */
export function challengeName(domain: string): string {
  return `_hostprobe-challenge.${domain}`;
}

/** Whether hosts of many tenants are below the name (`github.io`), so that it is no host of one owner. */
export function isSuffixOfTenants(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

/** What the record says. The claim ends with the record, so that it has no date of its own. */
export function challengeRecord(challenge: string): string {
  return `token=${challenge} expiry=never`;
}

export function challengeFile(domain: string): string {
  return `https://${domain}/.well-known/hostprobe-claim.txt`;
}

/**
 * Whether one of the records holds the challenge: alone, or as `token=` that comes first, not after its `expiry`.
 * @param records strings of each record joined
 * @param now whose day (UTC) is the last that an `expiry` may name
 */
export function recordHolds(records: readonly string[], challenge: string, now: Date): boolean {
  const today = now.toISOString().slice(0, 10);
  return records.some((record) => {
    if (record.length > RECORD_CHARS) return false;
    const [first = '', ...rest] = record.split(' ');
    if (first.replace(/^token=/i, '') !== challenge) return false;
    const expiry = rest.find((pair) => /^expiry=/i.test(pair))?.slice('expiry='.length);
    return expiry === undefined || expiry === 'never' || (/^\d{4}-\d\d-\d\d/.test(expiry) && expiry >= today);
  });
}

/** What one check found. */
export const ClaimFinding = z.object({
  /** What the name servers say of the record: `disagree` when they do not say the same, `unknown` when one does not answer. */
  dns: z.enum(['found', 'absent', 'disagree', 'unknown']),
  /** Where a CNAME led to the record; null without one. */
  target: z.string().nullable(),
  file: z.enum(['found', 'absent', 'redirected', 'not_text', 'too_large', 'unknown']),
  /**
   * What became of the zone that a claim is in: `gone` when its registrable domain is not there any more, `moved` when it has
   * no name server in common with those it had when control was last seen, `unknown` when name servers do not all say the same.
   */
  zone: z.enum(['kept', 'moved', 'gone', 'unknown']).exactOptional(),
});
export type ClaimFinding = Readonly<z.infer<typeof ClaimFinding>>;

/** An answer, as far as it is read here; undefined where none came. */
export interface FileAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly bytes: number;
}

/** Whether the file holds the challenge, and nothing but white space around it. A redirect is never followed. */
export function fileFinding(answer: FileAnswer | undefined, challenge: string): ClaimFinding['file'] {
  if (!answer) return 'unknown';
  const { status, contentType, body, bytes } = answer;
  if (status >= 300 && status < 400) return 'redirected';
  // It refuses, or fails: it has not said that there is no such file.
  if ([401, 403, 408, 429].includes(status) || status >= 500) return 'unknown';
  if (status !== 200) return 'absent';
  if (bytes > FILE_BYTES) return 'too_large';
  if (!/^text\/plain(?:\s*;|\s*$)/i.test(contentType)) return 'not_text';
  return body.trim() === challenge ? 'found' : 'absent';
}

/** What one resolver says of the name servers of a domain. */
export interface ZoneAnswer {
  /** False where there is no such domain. */
  readonly exists: boolean;
  readonly records: readonly string[];
  /** A name that is a CNAME has no zone of its own. */
  readonly target: string | null;
}

/** What all resolvers say, one that is silent undefined: without all of them saying the same nothing is known. */
export function zoneFinding(
  answers: readonly (ZoneAnswer | undefined)[],
  known: readonly string[],
): { readonly zone: NonNullable<ClaimFinding['zone']>; readonly nameServers: readonly string[] } {
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

function serversOf(answer: ZoneAnswer | undefined): readonly string[] {
  if (answer?.target !== null) return [];
  const names = answer.records
    .map((name) => name.toLowerCase())
    .filter((name) => name !== '' && name.length <= MAX_NAME);
  return [...new Set(names)].toSorted().slice(0, MAX_SERVERS);
}
