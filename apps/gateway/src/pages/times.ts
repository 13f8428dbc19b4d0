import { html, type Html } from './html/html';

/** `2026-11-22 01:45 UTC`; text that is no time stays what it is. */
export function utc(iso: string): string {
  return Number.isNaN(Date.parse(iso)) ? iso : `${new Date(iso).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `2026-11-22`. */
export function utcDate(iso: string): string {
  return utc(iso).slice(0, 10);
}

/** A moment, to which the script adds how long ago it was: the page itself is cached and does not know. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}" data-ago>${utc(iso)}</time>`;
}
