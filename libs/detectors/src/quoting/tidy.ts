import type { JsonObject, JsonValue } from '../formats/json';
import { likelyShowsKey } from './key-text';

/** Longest quotation from a target in a report; URLs and names of real documents are far shorter. */
const MAX_STRING = 500;
const MAX_ITEMS = 100;
const MAX_DEPTH = 8;

// What a reader (or a model) does not see, and what turns around what is seen: controls, formats (bidirectional ones, soft
// hyphens, the tag block), separators of lines, and whatever Unicode lets a font show as nothing (variation selectors,
// fillers, joiners), by property and so in every version of Unicode that Node.js knows. A joined emoji falls apart into
// its parts, and Arabic number signs go. New line and tab survive.
export const INVISIBLE =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** Replaces a private key that a host shows: reports are public, and only the stored evidence is encrypted. */
const WITHHELD = '[withheld: a private key]';

/** Members of a JSON Web Key that are its secret. */
const JWK_SECRETS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']);

/** A copy in which everything quoted from a target is bounded and visible. Applied once, when a cell is built. */
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

/** A value that is no key by itself may be one by the name of its member, or by what another member calls it. */
function isSecret(name: string, value: string, holder: JsonObject): boolean {
  if ('kty' in holder && JWK_SECRETS.has(name)) return true;
  const labels = [name, ...NAMES.map((member) => holder[member]).filter((label) => typeof label === 'string')];
  return labels.some((label) => likelyShowsKey(`${label.slice(-100)}: ${value.slice(0, MAX_STRING)}`));
}
const NAMES = ['name', 'key', 'label', 'variable'] as const;

/** Whether a list holds the 64 bytes of a key, as Solana's key files do. */
function isKeyFile(items: readonly JsonValue[]): boolean {
  return (
    items.length === 64 && items.every((item) => Number.isInteger(item) && Number(item) >= 0 && Number(item) <= 255)
  );
}

/**
 * Text without invisible characters and lone surrogates, cut to `max` characters with an ellipsis; {@link WITHHELD} for one
 * that shows a private key.
 */
export function visible(value: string, max: number = MAX_STRING): string {
  // Cut first: a megabyte of text must not be cleaned for the sake of its first line.
  const clean = value
    .slice(0, max * 4)
    .replace(INVISIBLE, '')
    .toWellFormed();
  if (likelyShowsKey(clean) || (clean.includes('%') && likelyShowsKey(unescaped(clean)))) return WITHHELD.slice(0, max);
  return clean.length > max ? `${clean.slice(0, max - 1).toWellFormed()}…` : clean;
}

/** A URL with its escapes read, byte by byte: keys are ASCII. */
function unescaped(url: string): string {
  return url.replace(/%[0-9a-f]{2}/gi, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
}
