import { isObject, list, type JsonValue } from './json';
import { jsonPath } from './json-path';

/** Members of a JSON Web Key that only its owner may know (RFC 7518 sections 6.2.2, 6.3.2, 6.4.1; RFC 8037 section 2). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;

const PEM = /-----BEGIN (?:[A-Z]{1,20} )?PRIVATE KEY-----/;

/**
 * Where a document publishes private key material, as a JSON path, or undefined. Looks at every JSON Web Key at any
 * depth and at PEM text; the caller keeps the document's text out of the report.
 */
export function leakedPrivateKey(value: JsonValue, at = ''): string | undefined {
  if (typeof value === 'string') return PEM.test(value) ? at : undefined;
  const items = list(value);
  if (items) return firstOf(items.map((item, i) => [jsonPath(at, i), item] as const));
  if (!isObject(value)) return undefined;
  if (typeof value['kty'] === 'string') {
    const leaked = PRIVATE_MEMBERS.find((name) => Object.hasOwn(value, name));
    if (leaked) return jsonPath(at, leaked);
  }
  return firstOf(Object.entries(value).map(([name, item]) => [jsonPath(at, name), item ?? null] as const));
}

function firstOf(places: readonly (readonly [at: string, value: JsonValue])[]): string | undefined {
  for (const [at, value] of places) {
    const leak = leakedPrivateKey(value, at);
    if (leak !== undefined) return leak;
  }
  return undefined;
}

/** Whether text that could not be read as JSON shows key material all the same. */
export function showsPrivateKey(body: string): boolean {
  return PEM.test(body) || (body.includes('"kty"') && /"(?:d|p|q|dp|dq|qi|k)"\s{0,20}:\s{0,20}"/.test(body));
}
