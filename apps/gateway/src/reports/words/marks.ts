import { domainToUnicode } from 'node:url';
import type { CellStatus } from '@app/detectors';
import { STATUS_WORDS, utc } from '@app/reports';
import { html, quoted, type Html } from '../../http/html';

const MARKS: Readonly<Record<CellStatus, Html>> = {
  present: html`<circle cx="8" cy="8" r="7" fill="currentColor" />
    <path d="M4.8 8.3l2.2 2.2 4.3-4.6" fill="none" stroke="var(--ground)" stroke-width="1.8" />`,
  partial: html`<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.6" />
    <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" />`,
  absent: html`<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.6" />`,
  undiscoverable: html`<circle
    cx="8"
    cy="8"
    r="6.2"
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
    stroke-dasharray="2.4 2.4"
  />`,
  error: html`<path d="M8 1.6l6.8 12.2H1.2z" fill="none" stroke="currentColor" stroke-width="1.5" />
    <path d="M8 6v4m0 1.6v.6" stroke="currentColor" stroke-width="1.6" />`,
};

/** The icon of a status. Icons differ in shape, not only in color, and a word always accompanies them. */
export function statusMark(status: CellStatus): Html {
  return html`<svg class="mark ${status}" viewBox="0 0 16 16" aria-hidden="true">${MARKS[status]}</svg>`;
}

const STATUSES = Object.keys(STATUS_WORDS) as readonly CellStatus[];

/** The legend of a chart that shows statuses without words. @param sign the sign of a status in the chart */
export function legend(sign: (status: CellStatus) => Html): Html {
  return html`<ul class="legend" aria-label="Legend">
    ${STATUSES.map((status) => html`<li>${sign(status)} ${STATUS_WORDS[status]}</li>`)}
  </ul>`;
}

/** A time. The script adds how long ago it was, which a cached page cannot know. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}" data-ago>${utc(iso)}</time>`;
}

/** How long ago something happened. A cached page cannot know that: it has the time, and the script puts the age there. */
export function ago(iso: string): Html {
  return html`<time datetime="${iso}" title="${utc(iso)}" data-ago="only">${utc(iso)}</time>`;
}

/** An internationalized name in Unicode, shown beside the Punycode name because letters of different scripts look alike. */
export function inOwnScript(domain: string): Html | undefined {
  const name = domainToUnicode(domain);
  return name === '' || name === domain ? undefined : html`<p class="own-script">${quoted(name)}</p>`;
}

/** Lets a long name wrap after a dot rather than within a label. */
export function breakable(domain: string): readonly Html[] {
  return domain.split('.').map((label, index) => html`${index > 0 && html`.<wbr />`}${label}`);
}
