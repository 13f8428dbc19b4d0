import type { ClaimLevel, ShownContact } from '@app/claims';
import { html, quoted, type Html } from '../../html/html';

const BY = {
  dns: 'by DNS',
  'dns-delegated': 'by DNS, through a CNAME',
  key: 'by a key that the host publishes',
  http: 'by a file',
} as const satisfies Readonly<Record<ClaimLevel, string>>;

/** The contact of an owner: their word, and no finding of a probe (behaviour 17.9). */
export function ownerContact({ contact, level, target }: ShownContact): Html {
  const address = contact.startsWith('https://') ? contact : `mailto:${contact}`;
  return html`<section aria-labelledby="contact">
    <h2 id="contact">Contact</h2>
    <p><a href="${address}" rel="noreferrer nofollow ugc">${contact}</a></p>
    <p class="soft">
      Contact, given by an owner who proved control ${BY[level]}${target !== null && html` to ${quoted(target)}`}. It is
      no part of the report.
    </p>
  </section>`;
}
