import type { CellStatus } from '@app/detectors';
import { html, type Html } from './html/html';

/** What a verdict is called on a page. `error` is no fault of the host: we could not look (contract 3). */
export const STATUS_WORDS: Readonly<Record<CellStatus, string>> = {
  present: 'present',
  partial: 'partial',
  absent: 'absent',
  undiscoverable: 'undiscoverable',
  error: 'could not look',
};

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

/** A sign for a verdict that differs in shape, not in colour alone. The word for it stands beside it. */
export function statusMark(status: CellStatus): Html {
  return html`<svg class="mark ${status}" viewBox="0 0 16 16" aria-hidden="true">${MARKS[status]}</svg>`;
}
