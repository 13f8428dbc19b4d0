import { member, text, type JsonValue } from '../formats/json';

/** The longest reference that is followed, and the maximum number of steps. */
const MAX = { characters: 512, steps: 8 } as const;

/** Resolves a reference within the document: `#/components/parameters/Id`. */
export function referred(value: JsonValue | undefined, document: JsonValue): JsonValue | undefined {
  const ref = text(member(value, '$ref'));
  if (ref === undefined || ref.length > MAX.characters) return value;
  const [root, ...names] = ref.split('/', MAX.steps);
  return root === '#' ? names.reduce<JsonValue | undefined>(member, document) : value;
}
