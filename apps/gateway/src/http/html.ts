import { visible } from '@app/detectors';

/** Markup that is safe to send: only {@link html} creates it, never a plain string. */
export class Html {
  constructor(readonly markup: string) {}
}

/** Values allowed in a template. Text is escaped; `undefined`, `null` and `false` render as nothing. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * A piece of HTML or XML. Every inserted value is escaped, also within quoted attributes, and stripped of control and
 * bidirectional characters, so that no template can forget it.
 */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(literals.reduce((markup, literal, index) => `${markup}${markupOf(values[index - 1])}${literal}`));
}

/** Text quoted from a probed host: isolated from the surrounding text direction and cut to `max` characters. */
export function quoted(text: string, max = 300): Html {
  return html`<bdi>${visible(text, max)}</bdi>`;
}

function markupOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escaped(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return visible(text, Number.MAX_SAFE_INTEGER).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
