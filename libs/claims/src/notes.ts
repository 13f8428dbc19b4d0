import { CLAIM_LEVELS, claimStatus, type ClaimLevel, type ClaimProgress } from './claim';

/** Characters of a note, and of a contact. */
export const NOTE_CHARS = 2_000;
export const CONTACT_CHARS = 200;

/** What an owner keeps with a claim. */
export interface ClaimNotes {
  /** Seen with the key of the claim alone. */
  readonly note: string | null;
  /** A mail address or an https URL, shown on the page of the host while the claim is verified. */
  readonly contact: string | null;
}

/** The contact that the page of a host shows, and what the claim of who gave it rests on. */
export interface ShownContact {
  readonly contact: string;
  readonly level: ClaimLevel;
  /** Where a CNAME leads to the record; null without one. */
  readonly target: string | null;
}

interface NotedClaim extends ClaimProgress {
  readonly contact: string | null;
  readonly target: string | null;
}

/** Of verified claims the contact of the one that shows control best, among equals of the first. */
export function shownContact(claims: readonly NotedClaim[], now: Date): ShownContact | null {
  const shown = claims.flatMap((claim) => {
    const { contact, level, target } = claim;
    if (contact === null || level === null || claimStatus(claim, now) !== 'verified') return [];
    return [{ contact, level, target: level === 'dns-delegated' ? target : null }];
  });
  return shown.toSorted((a, b) => CLAIM_LEVELS.indexOf(a.level) - CLAIM_LEVELS.indexOf(b.level))[0] ?? null;
}
