import { isObject, jsonPath, list, type JsonValue } from '../formats/json';
import { showsPrivateKey } from '../quoting/key-text';

/** Private fields of a JSON Web Key (RFC 7518 sections 6.2.2, 6.3.2, 6.4.1; RFC 8037 section 2). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;

/**
 * The JSON path of a private key in a document, or undefined. It checks every JSON Web Key at any depth, fields with
 * the name of a secret key, and text. The caller keeps the document's text out of the report.
 */
export function leakedPrivateKey(document: JsonValue): string | undefined {
  const segments = leakIn(document);
  return segments === undefined ? undefined : jsonPath('', ...segments.toReversed());
}

/** How much of a field name is used to recognize a secret key; array items use the name of the array. */
const LABEL_CHARS = 32;

/**
 * The path to a leak, innermost segment first, so that documents without one cost nothing.
 * @param label end of the name of the field that the value belongs to
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

/** @param slots the location of each value, and the label of its field */
function firstLeak(
  slots: Iterable<readonly [string | number, JsonValue | undefined, string]>,
): (string | number)[] | undefined {
  for (const [segment, value, label] of slots) {
    const inner = leakIn(value, label);
    if (inner) return [...inner, segment];
  }
  return undefined;
}
