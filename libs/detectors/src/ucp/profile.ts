import { documentPair } from '../documents/well-known-json';
import {
  isObject,
  jsonPath,
  list,
  member,
  text,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../formats/json';

/** The only location in every release (https://ucp.dev/latest/specification/overview/). */
export const PROFILE_PATH = '/.well-known/ucp';

/** The second path is not in the specification, but a large platform serves it and other clients request it. */
export const PROFILES = documentPair(PROFILE_PATH, '/.well-known/ucp.json', { optional: 'last' });

/** Published releases of UCP, oldest first (https://ucp.dev). */
const RELEASES = ['2026-01-11', '2026-01-23', '2026-04-08', '2026-08-25'] as const;
type Release = (typeof RELEASES)[number];

/**
 * `array-2026-01-11`: service objects and a capability array; `registry`: objects of arrays (since 2026-01-23); or
 * both.
 */
type Shape = 'array-2026-01-11' | 'registry' | 'mixed';

/** The transports of all releases, in order of preference. */
export const TRANSPORTS = ['rest', 'mcp', 'a2a', 'embedded'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** How many entries of one kind are read; real profiles have a few dozen, and each needs several URLs parsed. */
const MAX_ENTRIES = 100;

/** A named part of the profile (service, capability, payment handler) with its location. */
export interface Entry {
  readonly name: string;
  readonly at: string;
  readonly members: JsonObject;
}

/** One way to reach a service. */
export interface Binding extends Entry {
  readonly transport: string | undefined;
  readonly endpoint: JsonValue | undefined;
}

/** A business profile of any release, parsed without evaluation. */
export interface Profile {
  readonly root: JsonObject;
  readonly ucp: JsonObject;
  readonly version: string | undefined;
  readonly shape: Shape;
  /** The releases that its shape matches. */
  readonly fits: readonly Release[];
  /** Service objects of 2026-01-11; empty in the registry shape, whose bindings contain everything. */
  readonly legacyServices: readonly Entry[];
  readonly bindings: readonly Binding[];
  readonly capabilities: readonly Entry[];
  readonly handlers: readonly Entry[];
  readonly keys: JsonArray;
  /** The field with the keys: `keys` since 2026-08-25, `signing_keys` before. */
  readonly keysAt: string;
  /** Locations with a value of an unknown shape. */
  readonly malformed: readonly string[];
}

/**
 * Parses a profile of the releases 2026-01-11, 2026-01-23, 2026-04-08 and 2026-08-25 by its shape, because published
 * examples have a wrong date (https://ucp.dev/latest/specification/overview/). Undefined without a `ucp` object.
 */
export function readProfile(root: JsonValue): Profile | undefined {
  const ucp = member(root, 'ucp');
  if (!isObject(root) || !isObject(ucp)) return undefined;
  const services = readServices(member(ucp, 'services'));
  const capabilities = readEntries(member(ucp, 'capabilities'), 'ucp.capabilities');
  const handlers = readHandlers(root, ucp);
  const keysAt =
    list(member(root, 'keys')) || (member(root, 'keys') !== undefined && !list(member(root, 'signing_keys')))
      ? 'keys'
      : 'signing_keys';
  return {
    root,
    ucp,
    version: text(member(ucp, 'version')),
    ...shapeOf(root, ucp),
    legacyServices: services.legacy,
    bindings: services.bindings,
    capabilities: capabilities.entries,
    handlers: handlers.entries,
    keys: firstOf(member(root, keysAt)) ?? [],
    keysAt,
    malformed: [...services.malformed, ...capabilities.malformed, ...handlers.malformed],
  };
}

export interface Entries {
  readonly entries: readonly Entry[];
  readonly malformed: readonly string[];
}

/** An object from name to array of entries (since 2026-01-23), or an array of entries with a `name` (2026-01-11). */
export function readEntries(value: JsonValue | undefined, base: string): Entries {
  const entries: Entry[] = [];
  const malformed: string[] = [];
  for (const [name, at, item] of slots(value, base).slice(0, MAX_ENTRIES)) {
    if (isObject(item)) entries.push({ name: name ?? text(member(item, 'name')) ?? '', at, members: item });
    else malformed.push(at);
  }
  return { entries, malformed };
}

/** The items of an array that are read. Each needs its own location text, and a megabyte may have 350,000 items. */
function firstOf(value: JsonValue | undefined): JsonArray | undefined {
  return list(value)?.slice(0, MAX_ENTRIES);
}

type Place = readonly [name: string | undefined, at: string, value: JsonValue | undefined];

function slots(value: JsonValue | undefined, base: string): readonly Place[] {
  const array = firstOf(value);
  if (array) return array.map((item, i) => [undefined, jsonPath(base, i), item] as const);
  if (!isObject(value)) return value === undefined ? [] : [[undefined, base, value]];
  return Object.entries(value)
    .slice(0, MAX_ENTRIES)
    .flatMap(([name, item]): readonly Place[] => {
      const at = jsonPath(base, name);
      const items = firstOf(item);
      return items ? items.map((one, i) => [name, jsonPath(at, i), one] as const) : [[name, at, item]];
    });
}

function readHandlers(root: JsonObject, ucp: JsonObject): Entries {
  const registry = member(ucp, 'payment_handlers');
  if (registry !== undefined) return readEntries(registry, 'ucp.payment_handlers');
  const payment = member(root, 'payment');
  if (payment !== undefined && !isObject(payment)) return { entries: [], malformed: ['payment'] };
  return readEntries(member(payment, 'handlers'), 'payment.handlers');
}

interface Services {
  readonly legacy: readonly Entry[];
  readonly bindings: readonly Binding[];
  readonly malformed: readonly string[];
}

function readServices(value: JsonValue | undefined): Services {
  const [legacy, bindings, malformed]: [Entry[], Binding[], string[]] = [[], [], []];
  for (const [name, service] of isObject(value) ? Object.entries(value).slice(0, MAX_ENTRIES) : []) {
    const at = jsonPath('ucp.services', name);
    if (isObject(service)) {
      legacy.push({ name, at, members: service });
      bindings.push(...legacyBindings(name, at, service));
      continue;
    }
    const items = firstOf(service);
    if (!items) malformed.push(at);
    for (const [i, item] of (items ?? []).entries()) {
      if (isObject(item)) bindings.push(binding(name, jsonPath(at, i), item, text(item['transport'])));
      else malformed.push(jsonPath(at, i));
    }
  }
  return { legacy, bindings: bindings.slice(0, MAX_ENTRIES), malformed: malformed.slice(0, MAX_ENTRIES) };
}

function legacyBindings(name: string, at: string, service: JsonObject): readonly Binding[] {
  return TRANSPORTS.flatMap((transport) => {
    const members = member(service, transport);
    return isObject(members) ? [binding(name, jsonPath(at, transport), members, transport)] : [];
  });
}

function binding(name: string, at: string, members: JsonObject, transport: string | undefined): Binding {
  return { name, at, members, transport, endpoint: members['endpoint'] };
}

export function isTransport(value: string | undefined): value is Transport {
  return TRANSPORTS.some((transport) => transport === value);
}

/** Reverse-domain name, by the widest pattern of the releases (2026-08-25 admits hyphens and digits). */
export function isEntityName(name: string): boolean {
  return name.length <= 255 && /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$/.test(name);
}

/** A calendar date as UCP versions are written, YYYY-MM-DD. */
export function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

/** Whether a profile has the given release or a later one; undated profiles have to meet no release's rules. */
export function isSince(version: string | undefined, release: Release): boolean {
  return version !== undefined && isDate(version) && version >= release;
}

export function isRelease(version: string): version is Release {
  return RELEASES.some((release) => release === version);
}

/** The endpoint an agent would use: REST before MCP before A2A, and a real URL before a placeholder. */
export function preferredBinding(profile: Profile): Binding | undefined {
  const reachable = TRANSPORTS.flatMap((transport) =>
    profile.bindings.filter((one) => one.transport === transport && text(one.endpoint) !== undefined),
  );
  return reachable.find((one) => /^https?:\/\/[^/]/i.test(text(one.endpoint) ?? '')) ?? reachable[0];
}

/** The possible releases of a profile by its fields only, never by its date. */
function shapeOf(root: JsonObject, ucp: JsonObject): { shape: Shape; fits: readonly Release[] } {
  const services = Object.values(asObject(member(ucp, 'services')));
  const capabilities = member(ucp, 'capabilities');
  const legacy = services.some((service) => isObject(service)) || list(capabilities) !== undefined;
  const registry =
    services.some((service) => list(service) !== undefined) ||
    isObject(capabilities) ||
    member(ucp, 'payment_handlers') !== undefined;
  if (legacy && registry) return { shape: 'mixed', fits: [] };
  if (legacy) return { shape: 'array-2026-01-11', fits: ['2026-01-11'] };
  return { shape: 'registry', fits: registryReleases(root, ucp) };
}

/**
 * `keys` and `map_order` came with 2026-08-25, which removed `signing_keys`; a profile in migration may have both. Leaf
 * profiles and instruments came with 2026-04-08.
 */
function registryReleases(root: JsonObject, ucp: JsonObject): readonly Release[] {
  const [keys, before] = ['keys', 'signing_keys'].map((name) => member(root, name) !== undefined);
  const current = (keys && !before) || member(ucp, 'map_order') !== undefined;
  const beforeCurrent = before && !keys && !current;
  const sinceApril = member(ucp, 'supported_versions') !== undefined || declaresInstruments(ucp);
  return RELEASES.filter((release) => {
    if (release === '2026-01-11') return false;
    if (release === '2026-08-25') return !beforeCurrent;
    return !current && !(sinceApril && release === '2026-01-23');
  });
}

function declaresInstruments(ucp: JsonObject): boolean {
  return Object.values(asObject(member(ucp, 'payment_handlers'))).some((entries) =>
    firstOf(entries)?.some((entry) => member(entry, 'available_instruments') !== undefined),
  );
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
