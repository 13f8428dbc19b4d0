import { isObject, jsonPath, list, type JsonValue } from '../formats/json';
import { showsPrivateKey } from '../quoting/key-text';

/** Members of a JSON Web Key that only its owner may know (RFC 7518 sections 6.2.2, 6.3.2, 6.4.1; RFC 8037 section 2). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;

/**
 * Where a document publishes private key material, as a JSON path, or undefined. Probes every JSON Web Key at any
 * depth, members that are named as secret keys are, and text; the caller keeps the document's text out of the report.
 */
export function leakedPrivateKey(document: JsonValue): string | undefined {
  const segments = leakIn(document);
  return segments === undefined ? undefined : jsonPath('', ...segments.toReversed());
}

/** As much of a name as can call the value behind it a key; each item of a list is read behind the name of the list. */
const LABEL_CHARS = 32;

/**
 * Segments of the path to a leak, innermost first, so that paths cost nothing in the documents without one.
 * @param label end of the name of the member that the value belongs to
 */
function leakIn(value: JsonValue | undefined, label = ''): (string | number)[] | undefined {
  if (typeof value === 'string') return showsPrivateKey(label === '' ? value : `${label}: ${value}`) ? [] : undefined;
  const items = list(value);
  if (items) return firstLeak([...items.entries()].map(([index, item]) => [index, item, label] as const));
  if (!isObject(value)) return undefined;
  const isKey = typeof value['kty'] === 'string';
  const leaked = isKey ? PRIVATE_MEMBERS.find((member) => Object.hasOwn(value, member)) : undefined;
  if (leaked !== undefined) return [leaked];
  if (Object.entries(value).some(([member, item]) => typeof item === 'string' && showsPrivateKey(member))) return [];
  return firstLeak(Object.entries(value).map(([member, item]) => [member, item, member.slice(-LABEL_CHARS)] as const));
}

/** @param slots where each value stands, and the label of the member it belongs to */
function firstLeak(
  slots: Iterable<readonly [string | number, JsonValue | undefined, string]>,
): (string | number)[] | undefined {
  for (const [segment, value, label] of slots) {
    const inner = leakIn(value, label);
    if (inner) return [...inner, segment];
  }
  return undefined;
}
