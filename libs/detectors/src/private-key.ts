import { isObject, list, type JsonValue } from './json';
import { jsonPath } from './json-path';

/** Members of a JSON Web Key that only its owner may know (RFC 7518 sections 6.2.2, 6.3.2, 6.4.1; RFC 8037 section 2). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;

const PEM = /-----BEGIN (?:[A-Z]{1,20} )?PRIVATE KEY-----/;

/**
 * Where a document publishes private key material, as a JSON path, or undefined. Looks at every JSON Web Key at any
 * depth and at PEM text; the caller keeps the document's text out of the report.
 */
export function leakedPrivateKey(document: JsonValue): string | undefined {
  const segments = leakIn(document);
  return segments === undefined ? undefined : jsonPath('', ...segments.toReversed());
}

/** Segments of the path to a leak, innermost first, so that paths cost nothing in the documents without one. */
function leakIn(value: JsonValue | undefined): (string | number)[] | undefined {
  if (typeof value === 'string') return PEM.test(value) ? [] : undefined;
  const items = list(value);
  if (items) return firstLeak(items.entries());
  if (!isObject(value)) return undefined;
  const isKey = typeof value['kty'] === 'string';
  const leaked = isKey ? PRIVATE_MEMBERS.find((name) => Object.hasOwn(value, name)) : undefined;
  return leaked === undefined ? firstLeak(Object.entries(value)) : [leaked];
}

function firstLeak(
  places: Iterable<readonly [string | number, JsonValue | undefined]>,
): (string | number)[] | undefined {
  for (const [segment, value] of places) {
    const inner = leakIn(value);
    if (inner) return [...inner, segment];
  }
  return undefined;
}

/** Whether text that could not be read as JSON shows key material all the same. */
export function showsPrivateKey(body: string): boolean {
  return PEM.test(body) || (body.includes('"kty"') && /"(?:d|p|q|dp|dq|qi|k)"\s{0,20}:\s{0,20}"/.test(body));
}
