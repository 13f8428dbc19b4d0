/** Reading JSON from strangers: bounded, byte order mark tolerated, nothing else forgiven. */

export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

/** Deepest nesting and most nodes accepted; deeper documents are hostile, not large (limits of the probing budget). */
const JSON_LIMITS = { depth: 64, nodes: 20_000 } as const;

export type JsonReading =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly reason: JsonFault };
export type JsonFault = 'not_json' | 'json_too_deep' | 'json_too_large';

/** Parses strict JSON after an optional byte order mark. Comments and trailing commas are not JSON. Never throws. */
export function readJson(text: string): JsonReading {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const fault = measure(source);
  if (fault) return { ok: false, reason: fault };
  try {
    return { ok: true, value: JSON.parse(source) as JsonValue };
  } catch {
    return { ok: false, reason: 'not_json' };
  }
}

/** Counts depth and nodes on the raw text, so that a bomb is refused before anything is built from it. */
function measure(source: string): JsonFault | undefined {
  let depth = 0;
  let nodes = 0;
  let inString = false;
  for (let i = 0; i < source.length; i += 1) {
    const code = source.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i += 1;
      else if (code === 0x22) inString = false;
      continue;
    }
    if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      nodes += 1;
      if (depth > JSON_LIMITS.depth) return 'json_too_deep';
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    else if (code === 0x2c) nodes += 1;
    if (nodes > JSON_LIMITS.nodes) return 'json_too_large';
  }
  return undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member when `value` is an object that has it itself; inherited names such as `constructor` do not count. */
export function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value when it is a non-empty string. */
export function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function list(value: JsonValue | undefined): JsonArray | undefined {
  return Array.isArray(value) ? (value as JsonArray) : undefined;
}
