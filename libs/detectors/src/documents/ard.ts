import { defined } from '@app/platform';
import type { Answer, ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { linkedBy } from '../evidence/links';
import { onceEach } from '../evidence/once-each';
import { saidJson, type Reading } from '../evidence/reading';
import { isObject, list, member, text, type JsonObject, type JsonValue, readJson } from '../formats/json';
import type { Finding } from '../judgement/judgement';
import { directives, homeOf, robotsLines } from '../evidence/home-and-robots';
import { ardKind, type ArdKind, typeOf } from './ard-kind';

/** How much of a page is searched, in characters, and how many of its objects are read. */
const PAGE_CHARS = 262_144;
const MAX_OBJECTS = 100;

/**
 * The JSON-LD objects of a page (`<script type="application/ld+json">`): single ones, those in an array, and those in a
 * graph.
 */
function jsonLdOf(page: Answer): readonly JsonObject[] {
  const scripts = page.body
    .slice(0, PAGE_CHARS)
    .split(/<script\s/i)
    .slice(1);
  return scripts.flatMap(objectsOf).slice(0, MAX_OBJECTS);
}

function objectsOf(script: string): readonly JsonObject[] {
  const start = script.indexOf('>');
  const end = script.search(/<\/script/i);
  if (end < start || !/\btype\s{0,9}=\s{0,9}["']?application\/ld\+json/i.test(script.slice(0, start))) return [];
  const data = readJson(script.slice(start + 1, end));
  return data.ok ? flattened(data.value) : [];
}

function flattened(value: JsonValue): readonly JsonObject[] {
  const all = list(value) ?? list(member(value, '@graph')) ?? [value];
  return all.filter((one): one is JsonObject => isObject(one));
}

/** `urn:air:<publisher>:<name>`, and the formats of earlier drafts. */
const IDENTIFIER = /^urn:(?:air|ai|mcp:server):([a-zA-Z0-9.-]{1,253})(?:[:/][a-zA-Z0-9._-]{1,200}){1,20}$/;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;

/** JSON paths of missing required fields of an ARD entry; `url_xor_data` if it has both or neither. */
export function ardFaults(entry: JsonValue, at: string): readonly string[] {
  if (!isObject(entry)) return [at];
  const identifier = IDENTIFIER.exec((text(entry['identifier']) ?? '').slice(0, 2_048));
  const [url, data] = [text(entry['url']), entry['data']];
  const rows: readonly (readonly [boolean, string])[] = [
    [identifier === null, '.identifier'],
    [text(entry['displayName']) === undefined, '.displayName'],
    [!MEDIA_TYPE.test(typeOf(entry) ?? ''), '.type'],
    [(url === undefined) === (data === undefined) || (data !== undefined && !isObject(data)), ' url_xor_data'],
    [url !== undefined && !URL.canParse(url, 'https://host.invalid'), '.url'],
    [identifier !== null && !isAligned(entry, identifier[1] ?? ''), '.trustManifest.identity'],
  ];
  return rows.flatMap(([holds, where]) => (holds ? [`${at}${where}`] : []));
}

/** If there is an identity, it must belong to the publisher in the identifier (a DID, a URL or a name). */
function isAligned(entry: JsonValue, publisher: string): boolean {
  const identity = text(member(member(entry, 'trustManifest'), 'identity'));
  if (identity === undefined) return true;
  const names = identity
    .slice(0, 2_048)
    .toLowerCase()
    .split(/[^a-z0-9.-]/)
    .filter((name) => name.includes('.'));
  const own = publisher.toLowerCase();
  return (
    names.length === 0 || names.some((name) => name === own || name.endsWith(`.${own}`) || own.endsWith(`.${name}`))
  );
}

/** Agentic Resource Discovery 0.91, https://github.com/ards-project/ard-spec/blob/main/spec/ard.md. */
const ARD = '/.well-known/ard.json';

/** The name in 0.9 and in the MCP extension. */
export const AI_CATALOGUE = '/.well-known/ai-catalog.json';

/** Catalogs of 371 KB exist, with about 700 bytes per entry. */
const MAX_BYTES = 1_048_576;
const MAX_ENTRIES = 1_500;
const MAX_ATTESTATIONS = 10;

/** How many pointers to a manifest, and documents of one kind, are followed. */
const MAX_FOLLOWED = 2;

/** A resource in a manifest. Its type is only a hint; the linked document decides. */
export interface ArdEntry {
  readonly kind: ArdKind;
  /** JSON paths of rule violations. */
  readonly faults: readonly string[];
  /** Whether it lists example queries, as it should. */
  readonly queries: boolean;
  /** Absolute URL of the document; undefined with `data`, and if both or neither are given. */
  readonly url?: string;
  readonly data?: JsonObject;
}

export interface ArdManifest {
  readonly answer: Answer;
  /** The names of the attestations in its trust manifests; the attestations themselves are not read. */
  readonly attestations: readonly string[];
  readonly entries: readonly ArdEntry[];
}

const request = (url: string): ProbeRequest => ({
  method: 'GET',
  url,
  accept: 'application/json, */*;q=0.1',
  maxBytes: MAX_BYTES,
  optional: true,
});

/** One request shared by all detectors; it never makes a protocol absent. */
export const ARD_PROBE = request(ARD);

/** The manifest at a URL; only its list of entries is required. Undefined if there is none. */
export function manifestAt(seen: HostEvidence, url: string): ArdManifest | undefined {
  return manifestIn(seen.read(url));
}

const manifestIn = onceEach((reading: Reading) => {
  const said = saidJson(reading);
  return said && readManifest(said.value, said.answer);
});

function readManifest(value: JsonValue, answer: Answer): ArdManifest | undefined {
  const entries = list(member(value, 'entries'));
  if (!entries) return undefined;
  const read = entries.slice(0, MAX_ENTRIES);
  const attestations = [value, member(value, 'host') ?? null, ...read].flatMap(attestationsOf);
  return {
    answer,
    attestations: [...new Set(attestations)].slice(0, MAX_ATTESTATIONS),
    entries: read.map((entry, i) => readEntry(entry, i, answer)),
  };
}

/** Names such as `SOC2-Type2`; longer ones and other texts are left out. */
function attestationsOf(holder: JsonValue): readonly string[] {
  const stated = list(member(member(holder, 'trustManifest'), 'attestations')) ?? [];
  return stated.slice(0, MAX_ATTESTATIONS).flatMap((one) => {
    const name = text(one) ?? text(member(one, 'type')) ?? text(member(one, 'name')) ?? '';
    return /^[\w .:/-]{1,60}$/.test(name) ? [name] : [];
  });
}

function readEntry(entry: JsonValue, i: number, { finalUrl }: Answer): ArdEntry {
  const [stated, data] = [text(member(entry, 'url')), member(entry, 'data')];
  const both = stated !== undefined && isObject(data);
  const url =
    stated !== undefined && !both && URL.canParse(stated, finalUrl) ? new URL(stated, finalUrl).href : undefined;
  return {
    kind: ardKind(entry, url),
    faults: ardFaults(entry, `$.entries[${i}]`),
    queries: (list(member(entry, 'representativeQueries')) ?? []).length > 0,
    ...defined({ url, data: isObject(data) && !both ? data : undefined }),
  };
}

/**
 * The host's manifest: at the registered path, at the path the host points to, under the older name, or in its home
 * page.
 */
export function ardManifest(seen: HostEvidence): ArdManifest | undefined {
  const home = seen.at(ARD) ? homeOf(seen) : undefined;
  return fetchedManifest(seen) ?? (home && heldBy(home));
}

/** Entries in the JSON-LD of a page, which may also contain other structured data. */
const heldBy = onceEach((page: Answer): ArdManifest | undefined => {
  const held = jsonLdOf(page).filter((one) => text(one['identifier'])?.startsWith('urn:air:'));
  return held.length === 0 ? undefined : readManifest({ entries: held }, page);
});

const fetchedManifest = onceEach((seen: HostEvidence): ArdManifest | undefined => {
  for (const url of [ARD, ...pointers(seen), AI_CATALOGUE]) {
    const manifest = manifestAt(seen, url);
    if (manifest) return manifest;
  }
  return undefined;
});

/** Same-site manifests in links of the home page and in `Agentmap` of robots.txt. */
function pointers(seen: HostEvidence): readonly string[] {
  const home = homeOf(seen);
  const linked = (relation: string) =>
    home ? linkedBy(home, relation).map((url) => seen.resolve(url, home.finalUrl)) : [];
  const named = directives(robotsLines(seen) ?? [], 'Agentmap').map((url) => seen.resolve(url));
  const known = [ARD, AI_CATALOGUE].map((path) => seen.resolve(path));
  const urls = [...linked('ard'), ...named, ...linked('ai-catalog')].filter((url) => url !== undefined);
  return [...new Set(urls)].filter((url) => isFollowed(url, seen) && !known.includes(url)).slice(0, MAX_FOLLOWED);
}

function isFollowed(url: string, seen: HostEvidence): boolean {
  return url.startsWith('https:') && seen.sameSite(url);
}

/**
 * All entries; entries for nested manifests are replaced by their content. Only one nested manifest is fetched, and
 * none within it.
 */
export function ardEntries(seen: HostEvidence, manifest = ardManifest(seen)): readonly ArdEntry[] {
  if (!manifest) return [];
  const nested = nestedManifest(manifest, seen);
  return manifest.entries.flatMap((entry) => {
    if (entry.kind !== 'manifest') return [entry];
    if (entry.data) return readManifest(entry.data, manifest.answer)?.entries ?? [];
    return entry.url === nested ? (manifestAt(seen, entry.url ?? '')?.entries ?? []) : [];
  });
}

function nestedManifest({ entries }: ArdManifest, seen: HostEvidence): string | undefined {
  return entries.map(({ kind, url = '' }) => (kind === 'manifest' ? url : '')).find((url) => isFollowed(url, seen));
}

/** The first two same-site URLs of the given `kind` in the manifest. */
export function ardDocuments(seen: HostEvidence, kind: ArdKind, entries = ardEntries(seen)): readonly string[] {
  const urls = entries.flatMap((entry) => (entry.kind === kind && entry.url !== undefined ? [entry.url] : []));
  return [...new Set(urls)].filter((url) => isFollowed(url, seen)).slice(0, MAX_FOLLOWED);
}

/**
 * Requests until there is a manifest: first the pointers to one, then the older name; afterwards for a nested manifest.
 */
export function ardFollowUps(seen: HostEvidence): readonly ProbeRequest[] {
  const manifest = fetchedManifest(seen);
  const named = manifest ? [nestedManifest(manifest, seen) ?? []].flat() : seen.at(ARD) ? pointers(seen) : [];
  const older = manifest || !seen.at(ARD) ? [] : [request(AI_CATALOGUE)];
  return [...named.map((url): ProbeRequest => ({ ...request(url), declared: true })), ...older];
}

/** Documents of another kind than the manifest states; they do not change any cell. */
export function ardMismatches(
  seen: HostEvidence,
  kind: ArdKind,
  isOfKind: (value: JsonValue) => boolean,
): readonly Finding[] {
  return ardDocuments(seen, kind).flatMap((url) => {
    const reading = seen.read(url);
    return reading.kind === 'json' && !isOfKind(reading.value) ? [{ id: 'ard_entry_type_mismatch', at: url }] : [];
  });
}
