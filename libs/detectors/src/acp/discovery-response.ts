import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { findingsWhere, type Finding } from '../judgement/judgement';

/** A host's ACP discovery document and its quality. */
interface AcpDiscovery {
  /** `present`: the required groups are valid. `partial`: there is something else than a discovery document. */
  readonly status: 'present' | 'partial';
  /** The protocol version (YYYY-MM-DD), if valid. */
  readonly version: string | null;
  readonly apiBaseUrl: string | null;
  readonly transports: readonly string[];
  readonly services: readonly string[];
  /** JSON paths that violate the schema. */
  readonly faults: readonly string[];
  /** Fields that are newer than the newest release we know; they are not faults. */
  readonly findings: readonly Finding[];
}

type Check = readonly [path: string, holds: boolean];

/** The newest release. Drafts after it move the extensions to `protocol`. */
export const ACP_RELEASE = '2026-04-17';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TRANSPORTS = ['rest', 'mcp'];
const SERVICES = ['checkout', 'orders', 'delegate_payment', 'carts'];
const LOCALE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,8}$/;
const INTERVENTIONS = ['3ds', 'biometric', 'address_verification'];

/** The schema allows no other fields at any level. They are faults, but the rest of the document still counts. */
const MEMBERS = {
  $: ['protocol', 'api_base_url', 'transports', 'capabilities'],
  protocol: ['name', 'version', 'supported_versions', 'documentation_url', 'extensions'],
  capabilities: ['services', 'extensions', 'intervention_types', 'supported_currencies', 'supported_locales'],
} as const;

/**
 * Evaluates a `DiscoveryResponse` of release 2026-04-17
 * (https://github.com/agentic-commerce-protocol/agentic-commerce-protocol) in two steps: the required groups determine
 * the status, other violations of the schema are reported. Other protocols have the same name, so `protocol.name` alone
 * proves nothing.
 */
export function readAcpDiscovery(document: JsonValue): AcpDiscovery {
  const protocol = member(document, 'protocol');
  const capabilities = member(document, 'capabilities');
  const version = text(member(protocol, 'version'));
  const apiBaseUrl = text(member(document, 'api_base_url'));
  const core: readonly Check[] = [
    ['protocol.name', member(protocol, 'name') === 'acp'],
    ['protocol.version', version !== undefined && DATE.test(version)],
    ['protocol.supported_versions', areUnique(member(protocol, 'supported_versions'), (item) => DATE.test(item))],
    ['api_base_url', apiBaseUrl !== undefined && isHttps(apiBaseUrl)],
    ['transports', areUnique(member(document, 'transports'), (item) => TRANSPORTS.includes(item))],
    ['capabilities.services', areUnique(member(capabilities, 'services'), () => true)],
  ];
  const failed = failing(core);
  return {
    status: failed.length === 0 ? 'present' : 'partial',
    version: version !== undefined && DATE.test(version) ? version : null,
    apiBaseUrl: apiBaseUrl ?? null,
    transports: strings(member(document, 'transports')),
    services: strings(member(capabilities, 'services')),
    faults: [...failed, ...strictFaults(document, protocol, capabilities)],
    findings: unreleased(protocol, capabilities),
  };
}

function unreleased(protocol: JsonValue | undefined, capabilities: JsonValue | undefined): readonly Finding[] {
  const version = text(member(protocol, 'version')) ?? '';
  const moved = member(protocol, 'extensions') !== undefined;
  return findingsWhere([
    [moved, 'unreleased_member', 'protocol.extensions'],
    [moved && member(capabilities, 'extensions') !== undefined, 'extensions_in_both', 'capabilities.extensions'],
    [DATE.test(version) && version > ACP_RELEASE, 'version_unknown', 'protocol.version'],
  ]);
}

function strictFaults(
  document: JsonValue,
  protocol: JsonValue | undefined,
  capabilities: JsonValue | undefined,
): readonly string[] {
  const each = (name: string, passes: (item: string) => boolean) => are(member(capabilities, name), passes);
  const optional: readonly Check[] = [
    ['protocol.documentation_url', isUrl(member(protocol, 'documentation_url'))],
    ['capabilities.services[]', strings(member(capabilities, 'services')).every((item) => SERVICES.includes(item))],
    ['capabilities.intervention_types', each('intervention_types', (item) => INTERVENTIONS.includes(item))],
    ['capabilities.supported_currencies', each('supported_currencies', (item) => /^[a-z]{3}$/.test(item))],
    ['capabilities.supported_locales', each('supported_locales', (item) => LOCALE.test(item))],
    ['capabilities.extensions', areExtensions(member(capabilities, 'extensions'))],
    ['protocol.extensions', areExtensions(member(protocol, 'extensions'))],
  ];
  return [
    ...unknownMembers(document, '', MEMBERS.$),
    ...unknownMembers(protocol, 'protocol.', MEMBERS.protocol),
    ...unknownMembers(capabilities, 'capabilities.', MEMBERS.capabilities),
    ...failing(optional),
  ];
}

function failing(checks: readonly Check[]): readonly string[] {
  return checks.filter(([, holds]) => !holds).map(([path]) => path);
}

function unknownMembers(holder: JsonValue | undefined, prefix: string, known: readonly string[]): readonly string[] {
  if (!isObject(holder)) return [];
  return Object.keys(holder)
    .filter((name) => !known.includes(name))
    .slice(0, 20)
    .map((name) => `${prefix}${name}`);
}

/** A non-empty array of distinct valid strings. */
function areUnique(value: JsonValue | undefined, passes: (item: string) => boolean): boolean {
  const items = list(value);
  if (!items || items.length === 0 || new Set(items).size !== items.length) return false;
  return items.every((item) => typeof item === 'string' && passes(item));
}

function are(value: JsonValue | undefined, passes: (item: string) => boolean): boolean {
  return value === undefined || (list(value)?.every((item) => typeof item === 'string' && passes(item)) ?? false);
}

function areExtensions(value: JsonValue | undefined): boolean {
  const named = (item: JsonValue): item is JsonObject => text(member(item, 'name')) !== undefined;
  return value === undefined || (list(value)?.every(named) ?? false);
}

function isUrl(value: JsonValue | undefined): boolean {
  return value === undefined || (typeof value === 'string' && parseUrl(value) !== undefined);
}

function isHttps(url: string): boolean {
  return parseUrl(url)?.protocol === 'https:';
}

function strings(value: JsonValue | undefined): readonly string[] {
  return (list(value) ?? []).filter((item) => typeof item === 'string').slice(0, 20);
}
