import { getPublicSuffix } from 'tldts';

/** Bytes that the file may have. */
const FILE_BYTES = 4_096;
const RECORD_CHARS = 1_024;

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

/** What a record says in the place of a challenge, for good: who signs with this key claims the host. */
export function keyToken(thumbprint: string): string {
  return `key:${thumbprint}`;
}

/**
 * Whether one of the records holds a token, the challenge or that of a key: alone, or as `token=` that comes first, not after its `expiry`.
 * @param records strings of each record joined
 * @param now whose day (UTC) is the last that an `expiry` may name
 */
export function recordHolds(records: readonly string[], tokens: readonly string[], now: Date): boolean {
  const today = now.toISOString().slice(0, 10);
  return records.some((record) => {
    if (record.length > RECORD_CHARS) return false;
    const [first = '', ...rest] = record.split(' ');
    if (!tokens.includes(first.replace(/^token=/i, ''))) return false;
    const expiry = rest.find((pair) => /^expiry=/i.test(pair))?.slice('expiry='.length);
    return expiry === undefined || expiry === 'never' || (/^\d{4}-\d\d-\d\d/.test(expiry) && expiry >= today);
  });
}

/** What the name servers say of a record: `disagree` when they do not say the same, `unknown` when one does not answer. */
export type DnsFinding = 'found' | 'absent' | 'disagree' | 'unknown';

/**
 * What came of the key that the claimant signed with: `shared` when a host of another registrable domain publishes it, too,
 * so that who signs may be neither's owner.
 */
export type KeyFinding = 'found' | 'absent' | 'shared' | 'unknown';

/** What came of the file. */
export type FileFinding = 'found' | 'absent' | 'redirected' | 'not_text' | 'too_large' | 'unknown';

/** An answer, as far as it is read here; undefined where none came. */
export interface FileAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly bytes: number;
}

/** Whether the file holds the challenge, and nothing but white space around it. A redirect is never followed. */
export function fileFinding(answer: FileAnswer | undefined, challenge: string): FileFinding {
  if (!answer) return 'unknown';
  const { status, contentType, body, bytes } = answer;
  if (status >= 300 && status < 400) return 'redirected';
  if (saysNothing(status)) return 'unknown';
  if (status !== 200) return 'absent';
  if (bytes > FILE_BYTES) return 'too_large';
  if (!/^text\/plain(?:\s*;|\s*$)/i.test(contentType)) return 'not_text';
  return body.trim() === challenge ? 'found' : 'absent';
}

/** Whether a host that answers so refuses, or fails, and has not said that there is no such file. */
export function saysNothing(status: number): boolean {
  return [401, 403, 408, 429].includes(status) || status >= 500;
}
