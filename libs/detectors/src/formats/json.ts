/** Parses JSON from hosts: size is limited, a byte order mark is tolerated, any other fault is not. */

export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

/**
 * The maximum nesting depth, and the maximum number of values, counted by brackets and commas. A description of 3.1 MB
 * has 184,000; one megabyte of JSON takes at most 45 ms to parse, and five megabytes within this limit at most 60 ms
 * (Node 20).
 */
const JSON_LIMITS = { depth: 128, marks: 500_000 } as const;

export type JsonReading =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly reason: JsonFault };
/** `too_large`: the text exceeds our limits, but may be valid. */
export type JsonFault = 'not_json' | 'too_large';

/** Parses strict JSON after an optional byte order mark; comments and trailing commas are not allowed. Never throws. */
export function readJson(text: string): JsonReading {
  const source = withoutMark(text);
  return scan(source).tooLarge ? { ok: false, reason: 'too_large' } : parse(source);
}

/**
 * The content of a truncated text up to its last complete entry, with open objects and arrays closed there; undefined
 * if that is not JSON or exceeds the limits. It costs as much as parsing the whole text.
 */
export function readCutJson(text: string): JsonValue | undefined {
  const source = withoutMark(text);
  const { tooLarge, whole, closers } = scan(source);
  const reading = tooLarge ? undefined : parse(source.slice(0, whole) + closers.toReversed().join(''));
  return reading?.ok ? reading.value : undefined;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function parse(source: string): JsonReading {
  try {
    return { ok: true, value: JSON.parse(source) as JsonValue };
  } catch {
    return { ok: false, reason: 'not_json' };
  }
}

interface Scan {
  readonly tooLarge: boolean;
  /** Index after the last complete entry. */
  readonly whole: number;
  /** The brackets that close everything open at that index, the outermost first. */
  readonly closers: readonly string[];
}

/** Counts depth and values in the raw text, so that a bomb is rejected before anything is allocated. */
function scan(source: string): Scan {
  const closers: string[] = [];
  let [marks, whole, open] = [0, 0, 0];
  for (let i = 0; i < source.length; i += 1) {
    const code = source.charCodeAt(i);
    if (code === 0x22) i = endOfString(source, i);
    else if (code === 0x5b || code === 0x7b) {
      marks += 1;
      closers.push(code === 0x5b ? ']' : '}');
    } else if (code === 0x5d || code === 0x7d) {
      closers.pop();
      [whole, open] = [i + 1, closers.length];
    } else if (code === 0x2c) {
      marks += 1;
      [whole, open] = [i, closers.length];
    }
    if (closers.length > JSON_LIMITS.depth || marks > JSON_LIMITS.marks) return { tooLarge: true, whole, closers };
  }
  return { tooLarge: false, whole, closers: closers.slice(0, open) };
}

/** Index of the quote that ends the string started at `start`, or the end of the text. */
function endOfString(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i += 1) {
    const code = source.charCodeAt(i);
    if (code === 0x5c) i += 1;
    else if (code === 0x22) return i;
  }
  return source.length;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own field of `value` if it is an object; inherited names such as `constructor` do not count. */
export function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value if it is a non-empty string. */
export function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The own entry of a table for a name from outside; inherited names do not count. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** A text as in `text`, or a number as text, because authors write identifiers and prices as either. */
export function scalar(value: JsonValue | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : text(value);
}

export function list(value: JsonValue | undefined): JsonArray | undefined {
  return Array.isArray(value) ? (value as JsonArray) : undefined;
}

/** The location in a JSON document for a finding: `ucp.services["dev.ucp.shopping"][0].endpoint`. */
export function jsonPath(base: string, ...segments: readonly (string | number)[]): string {
  return segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(segment)) return `${path}["${segment.slice(0, 100)}"]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, base);
}
