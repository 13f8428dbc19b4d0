import { urlFaults } from '../documents/declared-url';
import { isObject, jsonPath, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { findingsWhere, type Finding } from '../judgement/judgement';
import {
  isDate,
  isEntityName,
  isRelease,
  isSince,
  isTransport,
  type Binding,
  type Entry,
  type Profile,
} from './profile';

/** A hostile profile can have thousands of faults; the first ones are enough. */
const MAX_FINDINGS = 60;

/** The fields of every capability and handler in 2026-01-11; later releases require fewer. */
const LEGACY_CAPABILITY = ['name', 'version', 'spec', 'schema'] as const;
const LEGACY_HANDLER = ['id', 'name', 'version', 'spec', 'config_schema', 'instrument_schemas', 'config'] as const;

/** Faults in a profile that do not change the status, with their JSON paths. */
export function profileFindings(profile: Profile): readonly Finding[] {
  return [
    ...releaseFindings(profile),
    ...profile.malformed.map((at) => ({ id: 'entry_malformed', at })),
    ...serviceFindings(profile),
    ...capabilityFindings(profile),
    ...handlerFindings(profile),
  ].slice(0, MAX_FINDINGS);
}

function releaseFindings({ version, shape, fits, bindings }: Profile): readonly Finding[] {
  if (version === undefined || !isDate(version)) return [];
  if (!isRelease(version)) return [{ id: 'unknown_release', at: 'ucp.version' }];
  if (shape === 'mixed') return [{ id: 'mixed_shape', at: 'ucp' }];
  return bindings.length === 0 || fits.includes(version) ? [] : [{ id: 'shape_of_other_release', at: 'ucp' }];
}

function serviceFindings(profile: Profile): readonly Finding[] {
  const legacy = profile.legacyServices.length > 0;
  return [
    ...profile.legacyServices.flatMap((service) => [
      ...lacking(service, ['version', 'spec']),
      ...entryFindings(service, profile),
    ]),
    ...profile.bindings.flatMap((one) => bindingFindings(one, profile, legacy)),
  ];
}

function bindingFindings(binding: Binding, profile: Profile, legacy: boolean): readonly Finding[] {
  const { transport, endpoint, at, members } = binding;
  const needsEndpoint = transport !== 'embedded';
  const needsSchema = legacy && transport !== 'a2a';
  return [
    ...(legacy ? lacking(binding, needsSchema ? ['schema'] : []) : lacking(binding, ['version', 'transport'])),
    ...findingsWhere([
      [transport !== undefined && !isTransport(transport), 'unknown_transport', at],
      [needsEndpoint && endpoint === undefined, 'member_missing', jsonPath(at, 'endpoint')],
    ]),
    ...(endpoint === undefined ? [] : endpointFindings(endpoint, jsonPath(at, 'endpoint'))),
    ...(legacy ? urlFindings(members, at) : entryFindings(binding, profile)),
    ...findingsWhere([[legacy && authorityMismatch(binding), 'authority_mismatch', jsonPath(at, 'schema')]]),
  ];
}

function endpointFindings(endpoint: JsonValue, at: string): readonly Finding[] {
  const url = text(endpoint);
  if (url === undefined) return [{ id: 'member_invalid', at }];
  const faults = urlFaults(url).map((fault) => (fault === 'relative' ? 'not_https' : fault));
  const slash = faults.length === 0 && url.endsWith('/') ? ['trailing_slash'] : [];
  return [...faults, ...slash].map((fault) => ({ id: `endpoint_${fault}`, at }));
}

function capabilityFindings(profile: Profile): readonly Finding[] {
  const legacy = list(member(profile.ucp, 'capabilities')) !== undefined;
  // Since 2026-08-25, every capability must have a schema.
  const needed = legacy
    ? LEGACY_CAPABILITY
    : isSince(profile.version, '2026-08-25')
      ? ['version', 'schema']
      : ['version'];
  const names = new Set(profile.capabilities.map(({ name }) => name));
  return profile.capabilities.flatMap((entry) => [
    ...lacking(entry, needed),
    ...entryFindings(entry, profile),
    ...extendsFindings(entry, names),
  ]);
}

function handlerFindings(profile: Profile): readonly Finding[] {
  const legacy = member(profile.ucp, 'payment_handlers') === undefined;
  return profile.handlers.flatMap((entry) => [
    ...lacking(entry, legacy ? LEGACY_HANDLER : ['id', 'version']),
    ...entryFindings(entry, profile),
    ...(legacy ? legacyHandlerFindings(entry) : []),
    ...instrumentFindings(entry),
  ]);
}

/** In 2026-01-11, the configuration is an object and the instrument schemas are an array of URLs. */
function legacyHandlerFindings({ at, members }: Entry): readonly Finding[] {
  const [config, schemas] = [member(members, 'config'), member(members, 'instrument_schemas')];
  const areUrls = list(schemas)?.every((url) => text(url) !== undefined) ?? false;
  return findingsWhere([
    [config !== undefined && !isObject(config), 'member_invalid', jsonPath(at, 'config')],
    [schemas !== undefined && !areUrls, 'member_invalid', jsonPath(at, 'instrument_schemas')],
  ]);
}

function instrumentFindings({ at, members }: Entry): readonly Finding[] {
  const value = member(members, 'available_instruments');
  const instruments = list(value) ?? [];
  const typed = instruments.every((instrument) => text(member(instrument, 'type')) !== undefined);
  const sound = value === undefined || (instruments.length > 0 && typed);
  return findingsWhere([[!sound, 'member_invalid', jsonPath(at, 'available_instruments')]]);
}

/** An extension whose parent the host does not offer is dropped in negotiation. */
function extendsFindings({ at, members }: Entry, names: ReadonlySet<string>): readonly Finding[] {
  const value = member(members, 'extends');
  if (value === undefined) return [];
  const parents = parentsOf(members);
  const slot = jsonPath(at, 'extends');
  if (parents.length === 0) return [{ id: 'member_invalid', at: slot }];
  return parents.some((parent) => names.has(parent)) ? [] : [{ id: 'orphaned_extension', at: slot }];
}

/** The names in `extends`, a string or (since 2026-04-08) an array of strings. */
export function parentsOf(members: JsonObject): readonly string[] {
  const value = member(members, 'extends');
  return (list(value) ?? [value]).map((item) => text(item)).filter((name) => name !== undefined);
}

/** Rules for every named entry: its name, its version, its URLs, and who may define the name. */
function entryFindings(entry: Entry, profile: Profile): readonly Finding[] {
  const { name, at, members } = entry;
  const version = text(member(members, 'version'));
  // 2026-08-25: entries of the core vocabulary have the version of the profile.
  const bound = isSince(profile.version, '2026-08-25') && name.startsWith('dev.ucp.');
  const differs = bound && version !== undefined && version !== profile.version;
  return [
    ...findingsWhere([
      [!isEntityName(name), 'name_not_reverse_domain', at],
      [version !== undefined && !isDate(version), 'entry_version_not_a_date', jsonPath(at, 'version')],
      [differs, 'entry_version_differs', jsonPath(at, 'version')],
    ]),
    ...urlFindings(members, at),
    ...findingsWhere([[authorityMismatch(entry), 'authority_mismatch', jsonPath(at, 'schema')]]),
  ];
}

function urlFindings(members: JsonObject, at: string): readonly Finding[] {
  return ['spec', 'schema', 'config_schema'].flatMap((name) => {
    const value = member(members, name);
    if (value === undefined) return [];
    const url = text(value);
    const sound = url !== undefined && parseUrl(url)?.protocol === 'https:';
    return sound ? [] : [{ id: 'url_not_https', at: jsonPath(at, name) }];
  });
}

/**
 * Whether the schema of an entry is outside the domain of its name: the reversed host must be the name or a prefix of
 * its labels (UCP overview, namespace governance). Agents drop such entries.
 */
function authorityMismatch({ name, members }: Entry): boolean {
  const url = text(member(members, 'schema')) ?? text(member(members, 'config_schema'));
  const host = url === undefined ? undefined : parseUrl(url)?.hostname;
  if (host === undefined || !isEntityName(name)) return false;
  const labels = host.split('.').reverse().join('.');
  const isName = host.includes('.') && !/^[\d.]+$/.test(host);
  return !isName || !(name === labels || name.startsWith(`${labels}.`));
}

function lacking({ at, members }: Entry, names: readonly string[]): readonly Finding[] {
  return names
    .filter((name) => {
      const value = member(members, name);
      return value === undefined || value === '' || value === null || (isText(name) && typeof value !== 'string');
    })
    .map((name) => ({ id: 'member_missing', at: jsonPath(at, name) }));
}

/** `config` and `instrument_schemas` are structures; all other required fields are texts. */
function isText(name: string): boolean {
  return name !== 'config' && name !== 'instrument_schemas';
}
