import { CORE_SCHEMA, defineScalarTag, loadAll } from 'js-yaml';
import { isObject, list, type JsonReading, type JsonValue } from './json';
import { withLineFeeds } from './line-ends';

/**
 * Limits on the work for a YAML text, counted before parsing by its line ends and the characters that start entries:
 * each costs at most 2.2 microseconds (js-yaml 5.5 on Node 20). A description has about 24 characters per entry.
 * `aliasCharacters` limits the text repeated by aliases.
 */
const YAML_LIMITS = {
  depth: 64,
  marks: 20_000,
  charactersPerMark: 16,
  values: 500_000,
  aliasCharacters: 1_000_000,
} as const;

/** Tags create no objects: a tagged value is read as text. */
const PLAIN = CORE_SCHEMA.withTags(
  defineScalarTag('', { matchByTagPrefix: true, resolve: (text) => text, identify: () => false }),
);

/**
 * Parses the first YAML 1.2 document of a text to plain data. For duplicate keys, the last value counts. Never throws.
 */
export function readYaml(source: string): JsonReading | { readonly ok: false; readonly reason: 'not_yaml' } {
  if (isTooDense(source)) return { ok: false, reason: 'too_large' };
  try {
    const [value] = loadAll(source, { schema: PLAIN, maxDepth: YAML_LIMITS.depth, json: true });
    if (value === undefined) return { ok: false, reason: 'not_yaml' };
    return isTree(value as JsonValue, source.length)
      ? { ok: true, value: value as JsonValue }
      : { ok: false, reason: 'too_large' };
  } catch (error) {
    const tooDeep = error instanceof Error && error.message.startsWith('nesting exceeded');
    return { ok: false, reason: tooDeep ? 'too_large' : 'not_yaml' };
  }
}

/**
 * The content of a truncated block-style text up to its last key with an indent of at most two spaces; undefined if
 * that is not YAML.
 */
export function readCutYaml(text: string): JsonValue | undefined {
  const source = withLineFeeds(text);
  let end = 0;
  for (const { index } of source.matchAll(/\n(?= {0,2}[^\s#-])/g)) end = index;
  const reading = readYaml(source.slice(0, end));
  return reading.ok ? reading.value : undefined;
}

/** Counts these characters everywhere, even within quotes, because they cost the same there. */
function isTooDense(source: string): boolean {
  const allowed = Math.max(YAML_LIMITS.marks, source.length / YAML_LIMITS.charactersPerMark);
  let marks = 0;
  for (let i = 0; i < source.length; i += 1) {
    const code = source.charCodeAt(i);
    // Line feed, carriage return, comma, question mark, [ and {.
    if (code === 0x0a || code === 0x0d || code === 0x2c || code === 0x3f || code === 0x5b || code === 0x7b) marks += 1;
  }
  return marks > allowed;
}

/**
 * Whether data with expanded aliases stays within the limits: a recursive alias is infinite, nested aliases grow
 * exponentially, and an alias of a long text repeats it.
 */
function isTree(value: JsonValue, characters: number): boolean {
  let left: number = YAML_LIMITS.values;
  let room = characters + YAML_LIMITS.aliasCharacters;
  const fits = (node: JsonValue | undefined, depth: number): boolean => {
    left -= 1;
    if (typeof node === 'string') room -= node.length;
    if (left < 0 || room < 0 || depth > YAML_LIMITS.depth) return false;
    if (isObject(node)) {
      for (const name in node) {
        room -= name.length;
        if (!fits(node[name], depth + 1)) return false;
      }
      return true;
    }
    return (list(node) ?? []).every((child) => fits(child, depth + 1));
  };
  return fits(value, 0);
}
