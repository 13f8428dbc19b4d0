import { isObject, list, type JsonValue } from './json';

/**
 * The canonical text of a JSON value (RFC 8785), which signatures cover: members in the order of their UTF-16 code
 * units, no white space, numbers and strings as ECMAScript writes them. Undefined for what has none: a number beyond
 * those of IEEE 754, or a text with half a surrogate pair.
 */
export function canonicalJson(value: JsonValue): string | undefined {
  const items = list(value);
  if (items) return enclosed('[', items.map(canonicalJson), ']');
  if (!isObject(value)) return canonicalScalar(value as Exclude<JsonValue, object>);
  const members = Object.keys(value).sort(byCodeUnits);
  return enclosed(
    '{',
    members.map((name) => {
      const [key, item] = [canonicalScalar(name), canonicalJson(value[name] ?? null)];
      return key === undefined || item === undefined ? undefined : `${key}:${item}`;
    }),
    '}',
  );
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function enclosed(open: string, items: readonly (string | undefined)[], close: string): string | undefined {
  return items.includes(undefined) ? undefined : `${open}${items.join(',')}${close}`;
}

function canonicalScalar(value: string | number | boolean | null): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  return typeof value === 'string' && /\p{Surrogate}/u.test(value) ? undefined : JSON.stringify(value);
}
