import { z } from 'zod';
import { claimFile } from './claim-file';
import { dnsRecord } from './dns-record';
import { CLAIM_LEVELS, type ClaimLevel, type HostAnswer, type RecordAnswers } from './proof';
import { ZONE_FINDINGS, zoneFinding } from './zone';

/** All ways to prove control of a host. */
export const PROOFS = [dnsRecord, claimFile] as const;

type Both<Each> = (Each extends unknown ? (each: Each) => void : never) extends (all: infer All) => void ? All : never;

/** The given field of all proofs, merged into one object. */
function all<Member extends 'found' | 'published'>(member: Member) {
  return Object.assign({}, ...PROOFS.map((proof) => proof[member])) as Both<(typeof PROOFS)[number][Member]>;
}

/** What to publish for a claim. */
export const Published = z.object(all('published'));
export function toPublish(domain: string, challenge: string) {
  return Object.assign({}, ...PROOFS.map(({ publish }) => publish(domain, challenge))) as z.infer<typeof Published>;
}

/** The result of one check. */
export const ClaimFinding = z.object({ ...all('found'), zone: z.enum(ZONE_FINDINGS).exactOptional() });
export type ClaimFinding = Readonly<z.infer<typeof ClaimFinding>>;
/** Includes the name servers of the registrable domain; empty if unknown. */
export type CheckFinding = ClaimFinding & { readonly nameServers?: readonly string[] };

interface Answers {
  /** For each of {@link PROOFS}. */
  readonly records: readonly RecordAnswers[];
  /** By URL. */
  readonly documents: ReadonlyMap<string, HostAnswer>;
  /** Name servers of the registrable domain. */
  readonly zone: RecordAnswers;
}

/** The result of a check of a claim. */
export function findingOf(
  { domain, challenge, nameServers }: { domain: string; challenge: string; nameServers: readonly string[] },
  { records, documents, zone }: Answers,
  now: Date,
): CheckFinding {
  const found = PROOFS.map(({ at, read }, nth) =>
    read({ records: records[nth] ?? [], document: documents.get(at(domain)) }, challenge, now),
  );
  return Object.assign({}, ...found, zoneFinding(zone, nameServers)) as CheckFinding;
}

/**
 * The strongest level that a finding proves: null for none, `unknown` if the proof of the claim's own level may still
 * exist.
 */
export function levelIn(finding: ClaimFinding, own: ClaimLevel | null): ClaimLevel | 'unknown' | null {
  const shown = PROOFS.map((proof) => proof.levelOf(finding));
  for (const level of CLAIM_LEVELS) {
    if (shown.includes(level)) return level;
    const isUnknown = PROOFS.some(({ levels }, at) => levels.includes(level) && shown[at] === 'unknown');
    if (level === own && isUnknown) return 'unknown';
  }
  return null;
}
