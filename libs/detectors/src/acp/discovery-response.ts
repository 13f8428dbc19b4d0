import { isObject, list, member, text, type JsonObject, type JsonValue } from '../json';
import { parseUrl } from '../parse-url';

/** What a host's ACP discovery document says, and how well it says it. */
export interface AcpDiscovery {
  /** `present`: the required groups hold. `partial`: something is there that is not a discovery document. */
  readonly verdict: 'present' | 'partial';
  /** Protocol version (YYYY-MM-DD) when it is stated as one. */
  readonly version: string | null;
  readonly apiBaseUrl: string | null;
  readonly transports: readonly string[];
  readonly services: readonly string[];
  /** JSON paths that break the schema. */
  readonly faults: readonly string[];
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TRANSPORTS = ['rest', 'mcp'];
const SERVICES = ['checkout', 'orders', 'delegate_payment', 'carts'];
const INTERVENTIONS = ['3ds', 'biometric', 'address_verification'];

/** The schema closes every level: members beyond these are faults, and no reason to ignore the rest. */
const MEMBERS = {
  $: ['protocol', 'api_base_url', 'transports', 'capabilities'],
  protocol: ['name', 'version', 'supported_versions', 'documentation_url'],
  capabilities: ['services', 'extensions', 'intervention_types', 'supported_currencies', 'supported_locales'],
} as const;

/**
 * Judges a `DiscoveryResponse` of release 2026-04-17
 * (https://github.com/agentic-commerce-protocol/agentic-commerce-protocol) in two tiers: the required groups decide,
 * the rest of the schema is reported. Other protocols share the name, so `protocol.name` alone proves nothing.
 */
export function readAcpDiscovery(document: JsonValue): AcpDiscovery {
  const protocol = member(document, 'protocol');
  const capabilities = member(document, 'capabilities');
  const version = text(member(protocol, 'version'));
  const apiBaseUrl = text(member(document, 'api_base_url'));
  const core: readonly (readonly [path: string, holds: boolean])[] = [
    ['protocol.name', member(protocol, 'name') === 'acp'],
    ['protocol.version', version !== undefined && DATE.test(version)],
    ['protocol.supported_versions', areUnique(member(protocol, 'supported_versions'), (item) => DATE.test(item))],
    ['api_base_url', apiBaseUrl !== undefined && isHttps(apiBaseUrl)],
    ['transports', areUnique(member(document, 'transports'), (item) => TRANSPORTS.includes(item))],
    ['capabilities.services', areUnique(member(capabilities, 'services'), () => true)],
  ];
  const failed = core.filter(([, holds]) => !holds).map(([path]) => path);
  return {
    verdict: failed.length === 0 ? 'present' : 'partial',
    version: version !== undefined && DATE.test(version) ? version : null,
    apiBaseUrl: apiBaseUrl ?? null,
    transports: strings(member(document, 'transports')),
    services: strings(member(capabilities, 'services')),
    faults: [...failed, ...strictFaults(document, protocol, capabilities)],
  };
}

function strictFaults(
  document: JsonValue,
  protocol: JsonValue | undefined,
  capabilities: JsonValue | undefined,
): readonly string[] {
  const optional: readonly (readonly [path: string, holds: boolean])[] = [
    [
      'protocol.documentation_url',
      isAbsentOr(member(protocol, 'documentation_url'), (url) => parseUrl(url) !== undefined),
    ],
    ['capabilities.services[]', strings(member(capabilities, 'services')).every((item) => SERVICES.includes(item))],
    [
      'capabilities.intervention_types',
      are(member(capabilities, 'intervention_types'), (i) => INTERVENTIONS.includes(i)),
    ],
    [
      'capabilities.supported_currencies',
      are(member(capabilities, 'supported_currencies'), (i) => /^[a-z]{3}$/.test(i)),
    ],
    [
      'capabilities.supported_locales',
      are(member(capabilities, 'supported_locales'), (i) => /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,8}$/.test(i)),
    ],
    ['capabilities.extensions', areExtensions(member(capabilities, 'extensions'))],
  ];
  return [
    ...unknownMembers(document, '', MEMBERS.$),
    ...unknownMembers(protocol, 'protocol.', MEMBERS.protocol),
    ...unknownMembers(capabilities, 'capabilities.', MEMBERS.capabilities),
    ...optional.filter(([, holds]) => !holds).map(([path]) => path),
  ];
}

function unknownMembers(holder: JsonValue | undefined, prefix: string, known: readonly string[]): readonly string[] {
  if (!isObject(holder)) return [];
  return Object.keys(holder)
    .filter((name) => !known.includes(name))
    .slice(0, 20)
    .map((name) => `${prefix}${name}`);
}

/** A non-empty list of different strings that all pass. */
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

function isAbsentOr(value: JsonValue | undefined, passes: (item: string) => boolean): boolean {
  return value === undefined || (typeof value === 'string' && passes(value));
}

function isHttps(url: string): boolean {
  return parseUrl(url)?.protocol === 'https:';
}

function strings(value: JsonValue | undefined): readonly string[] {
  return (list(value) ?? []).filter((item) => typeof item === 'string').slice(0, 20);
}
