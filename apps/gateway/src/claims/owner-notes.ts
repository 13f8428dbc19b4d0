import { CONTACT_CHARS, NOTE_CHARS, shownContact, type ClaimNotes, type ShownContact } from '@app/claims';
import { visible } from '@app/detectors';
import { within } from '@app/objects';
import { ClaimRepository } from '@app/persistence';
import { HostName, parseProbeUrl } from '@app/reports';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { RequestError } from '../http/request-error';
import type { ClaimState } from './claim-state';
import { Claims } from './claims';

/** A page waits this long for a contact, in milliseconds: it is served while storage is away, too. */
const PATIENCE_MS = 1_000;

/** What an owner may keep with a claim. What is left out is kept no longer. */
export const OwnerNote = z.strictObject({
  note: z.string().max(NOTE_CHARS).optional().describe('For yourself; seen with the key of the claim alone.'),
  contact: z.string().max(CONTACT_CHARS).optional().describe('A mail address or an https URL, for all to see.'),
});

/** Notes of owners, and the contact that one of them lets the page of the host show (behaviour 17.9). */
@Injectable()
export class OwnerNotes {
  constructor(
    @Inject(Claims) private readonly claims: Claims,
    @Inject(ClaimRepository) private readonly stored: ClaimRepository,
  ) {}

  /** @throws {RequestError} 400 `bad_request`, 403 `claim_not_verified`, and as {@link Claims.show} */
  async keep(id: string, key: string, raw: unknown): Promise<ClaimState> {
    const claim = await this.claims.verified(id, key);
    const noted = await this.stored.note(claim.id, notesIn(raw));
    if (!noted) throw new RequestError('claim_key_invalid');
    return this.claims.told(noted);
  }

  /** What the page of a host shows; null where nothing is to be shown, or storage is away. */
  async contactOf({ ascii }: HostName): Promise<ShownContact | null> {
    return within(PATIENCE_MS, this.readContact(ascii), () => null).catch(() => null);
  }

  private async readContact(domain: string): Promise<ShownContact | null> {
    const claims = await this.stored.noted(domain);
    const noted = await Promise.all(
      claims.map(async (claim) => {
        const { contact } = await this.stored.notesOf(claim);
        return { ...claim, contact, target: claim.finding?.target ?? null };
      }),
    );
    return shownContact(noted, new Date());
  }
}

/** @throws {RequestError} 400 `bad_request` */
export function notesIn(raw: unknown): ClaimNotes {
  const body = OwnerNote.safeParse(raw);
  if (!body.success) {
    throw refused(`send { note, contact }, at most ${NOTE_CHARS} and ${CONTACT_CHARS} characters, and nothing else`);
  }
  const [note, typed] = [body.data.note ?? '', body.data.contact ?? ''].map((text) => visible(text, NOTE_CHARS).trim());
  const contact = typed ? contactIn(typed) : null;
  if (contact === undefined) throw refused('contact is neither a mail address nor an https URL of a public host');
  return { note: note ? note : null, contact };
}

/** A mail address or an https URL; undefined for what is neither, or would be read in more than one way. */
function contactIn(text: string): string | undefined {
  const [, name, host] = /^([\w+-]+(?:\.[\w+-]+)*)@([^@]+)$/.exec(text) ?? [];
  if (name !== undefined && host !== undefined) {
    const reading = /^[\w.-]+$/.test(host) && HostName.parse(host);
    return reading && reading.ok && name.length <= 64 ? `${name}@${reading.host.ascii}` : undefined;
  }
  const reading = parseProbeUrl(text);
  return reading.ok && reading.url.href.length <= CONTACT_CHARS ? reading.url.href : undefined;
}

function refused(sentence: string): RequestError {
  return new RequestError('bad_request', sentence);
}
