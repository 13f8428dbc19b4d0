import { member, text, type JsonValue } from '../formats/json';

/** Longest reference that is followed, and its steps at most. */
const MAX = { characters: 512, steps: 8 } as const;

/** What a reference within the document stands for: `#/components/parameters/Id`. */
export function referred(value: JsonValue | undefined, document: JsonValue): JsonValue | undefined {
  const ref = text(member(value, '$ref'));
  if (ref === undefined || ref.length > MAX.characters) return value;
  const [root, ...names] = ref.split('/', MAX.steps);
  return root === '#' ? names.reduce<JsonValue | undefined>(member, document) : value;
}
