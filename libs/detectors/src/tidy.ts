import type { JsonValue } from './json';

/** Longest quotation from a target in a report; URLs and names of real documents are far shorter. */
const MAX_STRING = 500;
const MAX_ITEMS = 100;
const MAX_DEPTH = 8;

// Control characters, bidirectional overrides and isolates, zero-width characters, what is no character of XML and the
// tag block: invisible in a report, yet able to reorder or hide what a reader (or a model) sees. New line and tab survive.
export const INVISIBLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFE\uFFFF\u{E0000}-\u{E007F}]/gu;

/** A copy in which everything quoted from a target is bounded and visible. Applied once, when a cell is built. */
export function tidy(value: JsonValue | undefined, maxString: number = MAX_STRING, depth = 0): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return visible(value, maxString);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item: JsonValue) => tidy(item, maxString, depth + 1));
  const members = Object.entries(value)
    .filter(([name, item]) => item !== undefined && name !== '__proto__')
    .slice(0, MAX_ITEMS)
    .map(([name, item]) => [visible(name, 100), tidy(item, maxString, depth + 1)] as const);
  return Object.fromEntries(members);
}

/** Text without invisible characters and lone surrogates, cut to `max` characters with an ellipsis. */
export function visible(value: string, max: number = MAX_STRING): string {
  // Cut first: a megabyte of text must not be cleaned for the sake of its first line.
  const clean = value
    .slice(0, max * 4)
    .replace(INVISIBLE, '')
    .toWellFormed();
  return clean.length > max ? `${clean.slice(0, max - 1).toWellFormed()}…` : clean;
}
