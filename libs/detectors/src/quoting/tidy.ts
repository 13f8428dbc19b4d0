import type { JsonObject, JsonValue } from '../formats/json';
import { likelyShowsKey } from './key-text';

/** The longest quotation from a host in a report; URLs and names in real documents are far shorter. */
const MAX_STRING = 500;
const MAX_ITEMS = 100;
const MAX_DEPTH = 8;

// Characters that are invisible to a reader (or a model) or reorder visible ones: controls, format characters
// (bidirectional ones, soft hyphens, the tag block), line separators, and everything that Unicode allows fonts to hide
// (variation selectors, fillers, joiners). They are selected by property, so this covers every Unicode version that
// Node.js knows. Joined emoji are split, and Arabic number signs are removed. New line and tab are kept.
export const INVISIBLE =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** Replaces a private key of a host: reports are public, and only the stored evidence is encrypted. */
const WITHHELD = '[withheld: a private key]';

/** The secret fields of a JSON Web Key. */
const JWK_SECRETS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']);

/**
 * A copy in which everything quoted from a host is limited in length and visible. Applied once, when a cell is built.
 */
export function tidy(value: JsonValue | undefined, maxString: number = MAX_STRING, depth = 0): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return visible(value, maxString);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value) && isKeyFile(value)) return WITHHELD;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item: JsonValue) => tidy(item, maxString, depth + 1));
  const members = Object.entries(value)
    .filter(([name, item]) => item !== undefined && name !== '__proto__')
    .slice(0, MAX_ITEMS)
    .map(([name, item]) => {
      const secret = typeof item === 'string' && isSecret(name, item, value as JsonObject);
      return [visible(name, 100), secret ? WITHHELD : tidy(item, maxString, depth + 1)] as const;
    });
  return Object.fromEntries(members);
}

/**
 * A value that does not look like a key may still be one because of its field name, or because another field labels it.
 */
function isSecret(name: string, value: string, holder: JsonObject): boolean {
  if ('kty' in holder && JWK_SECRETS.has(name)) return true;
  const labels = [name, ...NAMES.map((member) => holder[member]).filter((label) => typeof label === 'string')];
  return labels.some((label) => likelyShowsKey(`${label.slice(-100)}: ${value.slice(0, MAX_STRING)}`));
}
const NAMES = ['name', 'key', 'label', 'variable'] as const;

/** Whether an array contains the 64 bytes of a key, as in Solana's key files. */
function isKeyFile(items: readonly JsonValue[]): boolean {
  return (
    items.length === 64 && items.every((item) => Number.isInteger(item) && Number(item) >= 0 && Number(item) <= 255)
  );
}

/**
 * Text without invisible characters and lone surrogates, truncated to `max` characters with an ellipsis; {@link
 * WITHHELD} if it contains a private key.
 */
export function visible(value: string, max: number = MAX_STRING): string {
  // Truncated first, so that a megabyte of text is not cleaned for its first line.
  const clean = value
    .slice(0, max * 4)
    .replace(INVISIBLE, '')
    .toWellFormed();
  if (likelyShowsKey(clean) || (clean.includes('%') && likelyShowsKey(unescaped(clean)))) return WITHHELD.slice(0, max);
  return clean.length > max ? `${clean.slice(0, max - 1).toWellFormed()}…` : clean;
}

/** A URL with decoded escapes, byte by byte, because keys are ASCII. */
function unescaped(url: string): string {
  return url.replace(/%[0-9a-f]{2}/gi, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
}
