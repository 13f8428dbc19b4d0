import { isObject, list, type JsonObject, type JsonValue } from '../formats/json';

/**
 * The canonical text of a JSON value (RFC 8785), which signatures cover: fields sorted by UTF-16 code units, no white
 * space, numbers and strings as in ECMAScript. Undefined for values without one: a number outside IEEE 754, or a text
 * with half a surrogate pair.
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

/** The payload variants: implementations disagree on which fields with default values are removed before signing. */
export type PayloadForm = 'as-published' | 'spec-rule' | 'sdk-clean';

/** The payload of the official SDKs for a card with fields that A2A 1.0 does not define: these are not signed. */
export const KNOWN_MEMBERS = 'known-members';

/**
 * The distinct payloads that signatures of a card may cover: the card without signatures in canonical form (A2A 1.0
 * section 8.4.1), as published, after the rule of the specification, and as the SDKs clean it.
 */
export function signedPayloads(card: JsonObject): readonly (readonly [PayloadForm | typeof KNOWN_MEMBERS, string])[] {
  const unsigned: JsonObject = Object.fromEntries(Object.entries(card).filter(([name]) => name !== 'signatures'));
  const forms: readonly (readonly [PayloadForm | typeof KNOWN_MEMBERS, JsonValue])[] = [
    ['as-published', unsigned],
    ['spec-rule', withoutDefaults(unsigned)],
    ['sdk-clean', withoutEmpty(unsigned) ?? {}],
    // The SDKs also remove `false` where the rule does.
    ['sdk-clean', withoutEmpty(withoutDefaults(unsigned)) ?? {}],
    [KNOWN_MEMBERS, withoutEmpty(withoutDefaults(knownMembers(unsigned))) ?? {}],
  ];
  const seen = new Set<string>();
  return forms.flatMap(([form, value]) => {
    const payload = canonicalJson(value);
    if (payload === undefined || seen.has(payload)) return [];
    seen.add(payload);
    return [[form, payload] as const];
  });
}

/** The fields of a card and of its capabilities in A2A 1.0. */
const KNOWN = {
  card: [
    ...['name', 'description', 'version', 'provider', 'documentationUrl', 'iconUrl', 'supportedInterfaces', 'skills'],
    ...['capabilities', 'securitySchemes', 'securityRequirements', 'defaultInputModes', 'defaultOutputModes'],
  ],
  capabilities: ['streaming', 'pushNotifications', 'extensions', 'extendedAgentCard', 'skillQuery'],
} as const;

function knownMembers(card: JsonObject): JsonObject {
  const known = only(KNOWN.card, card);
  const capabilities = known['capabilities'];
  return isObject(capabilities) ? { ...known, capabilities: only(KNOWN.capabilities, capabilities) } : known;
}

function only(names: readonly string[], value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

/** Fields that are neither REQUIRED nor `optional` in the schema (specification/a2a.proto), by their default value. */
const LISTS = ['extensions', 'securityRequirements', 'examples', 'inputModes', 'outputModes', 'list'];
const OLDER_LISTS = ['additionalInterfaces', 'security'];
const TEXTS = ['tenant', 'bearerFormat', 'oauth2MetadataUrl', 'refreshUrl'];
const MAPS = ['securitySchemes', 'schemes'];
const SWITCHES = ['required', 'pkceRequired'];

/** Fields with content outside the schema: free data, and names chosen by authors. */
const FREE = ['params', 'scopes'];

/** Objects in which `description` is REQUIRED; elsewhere an empty one is removed. */
const DESCRIBED = ['', 'skills'];

function withoutDefaults(value: JsonValue, within = ''): JsonValue {
  const items = list(value);
  if (items) return items.map((item) => withoutDefaults(item, within));
  if (!isObject(value) || FREE.includes(within)) return value;
  return Object.fromEntries(
    Object.entries(value as Readonly<Record<string, JsonValue>>)
      .map(([name, item]) => [name, withoutDefaults(item, name)] as const)
      .filter(([name, item]) => !isDefault(name, item, within)),
  );
}

function isDefault(name: string, value: JsonValue, within: string): boolean {
  if (value === '') return TEXTS.includes(name) || (name === 'description' && !DESCRIBED.includes(within));
  if (value === false) return SWITCHES.includes(name);
  if (list(value)?.length === 0) return [...LISTS, ...OLDER_LISTS].includes(name);
  return isObject(value) && MAPS.includes(name) && Object.keys(value).length === 0;
}

/**
 * Removes null and empty texts, arrays and objects, including those that become empty; undefined if nothing is left.
 */
function withoutEmpty(value: JsonValue): JsonValue | undefined {
  const items = list(value);
  if (items) {
    const cleaned = items.map(withoutEmpty).filter((item) => item !== undefined);
    return cleaned.length === 0 ? undefined : cleaned;
  }
  if (!isObject(value)) return value === '' || value === null ? undefined : value;
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>).flatMap(([name, item]) => {
    const cleaned = withoutEmpty(item);
    return cleaned === undefined ? [] : [[name, cleaned] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
