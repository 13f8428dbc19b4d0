import { defined } from '@app/platform';
import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { findingsWhere, type Finding } from '../judgement/judgement';
import { isPriced, operations, serverUrl, signInOf, termFaults, type Operation } from './priced-operations';

/** Why a document is not a usable description (`details.note`), as sentence parts that follow its path. */
export const DESCRIPTION_PROBLEMS = {
  no_openapi_member: 'has no "openapi" member',
  version_not_a_string: 'has a number as its version; it must be a string such as "3.1.0"',
  unsupported_version: 'has a version that is neither "2.0" nor "3.x"',
  info_missing: 'has no "info" object',
  paths_missing: 'has no "paths" object',
} as const;
type DescriptionFault = keyof typeof DESCRIPTION_PROBLEMS;

/** The data of an API description. */
export interface Description {
  /** As written: `3.1.0`, `2.0`; null if missing. */
  readonly version: string | null;
  /** Undefined for a usable description. */
  readonly fault?: DescriptionFault;
  readonly name?: string;
  /** Base URL as written; may be relative to the document. */
  readonly server?: string;
  readonly keys: readonly string[];
  readonly paths: number;
  readonly operations: number;
  readonly pricedOperations: number;
  /** Operations that require a wallet sign-in but no payment. */
  readonly signInOperations: number;
  /** Kinds of the declared security schemes: `http`, `apiKey`, `oauth2`, `openIdConnect`, `mutualTLS`, `basic`. */
  readonly security: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Parses a description of OpenAPI 2.0 to 3.x. Since 3.1, one of paths, webhooks and components is sufficient
 * (https://spec.openapis.org/oas/v3.1.0.html#openapi-object); before, `paths` is required. Never throws.
 */
export function describe(document: JsonValue): Description {
  const fault = faultOf(document);
  const paths = member(document, 'paths');
  const called = operations(document);
  return {
    version: statedVersion(document),
    ...defined({ fault, name: text(member(member(document, 'info'), 'title')), server: serverUrl(document) }),
    keys: isObject(document) ? Object.keys(document) : [],
    paths: isObject(paths) ? Object.keys(paths).length : 0,
    operations: called.length,
    pricedOperations: called.filter(isPriced).length,
    signInOperations: called.filter(signInOf(document)).length,
    security: securityKinds(document),
    findings: fault === undefined ? findingsOf(document, called) : [],
  };
}

/** Whether a value claims to be an API description, even an invalid one. */
export function claimsOpenapi(document: JsonValue): boolean {
  return isObject(document) && ['openapi', 'swagger', 'swaggerVersion'].some((key) => Object.hasOwn(document, key));
}

function statedVersion(document: JsonValue): string | null {
  const stated = ['openapi', 'swagger', 'swaggerVersion'].map((key) => member(document, key));
  const version = stated.find((value) => typeof value === 'string' || typeof value === 'number');
  return version === undefined ? null : String(version);
}

function faultOf(document: JsonValue): DescriptionFault | undefined {
  if (!claimsOpenapi(document)) return 'no_openapi_member';
  const openapi = member(document, 'openapi') ?? member(document, 'swagger') ?? member(document, 'swaggerVersion');
  if (typeof openapi !== 'string') return 'version_not_a_string';
  const is3 = member(document, 'openapi') === openapi && /^3\.\d{1,3}(?:\.\d{1,3})?(?:-[\w.]{1,20})?$/.test(openapi);
  const is2 = member(document, 'swagger') === openapi && openapi === '2.0';
  if (!is3 && !is2) return 'unsupported_version';
  if (!isObject(member(document, 'info'))) return 'info_missing';
  const enough = is2 || openapi.startsWith('3.0') ? ['paths'] : ['paths', 'webhooks', 'components'];
  return enough.some((key) => isObject(member(document, key))) ? undefined : 'paths_missing';
}

function findingsOf(document: JsonValue, called: readonly Operation[]): readonly Finding[] {
  const info = member(document, 'info');
  const paths = member(document, 'paths');
  const names = isObject(paths) ? Object.keys(paths) : [];
  const strange = names.find((name) => !name.startsWith('/') && !name.startsWith('x-'));
  const terms = new Map(called.flatMap((one) => termFaults(one).map((id) => [id, one] as const)).reverse());
  const inTerms = [...terms].map(([id, { method, path }]) => ({
    id,
    at: `$.paths[${JSON.stringify(path)}].${method.toLowerCase()}`,
  }));
  const inDocument = findingsWhere([
    [text(member(info, 'title')) === undefined, 'info_without_title', '$.info'],
    [text(member(info, 'version')) === undefined, 'info_without_version', '$.info'],
    [strange !== undefined, 'path_without_slash', `$.paths[${JSON.stringify(strange)}]`],
    [!serversHold(member(document, 'servers')), 'servers_malformed', '$.servers'],
    [isObject(paths) && called.length === 0, 'no_operations', '$.paths'],
  ]);
  return [...inDocument, ...inTerms];
}

function securityKinds(document: JsonValue): readonly string[] {
  const schemes = member(member(document, 'components'), 'securitySchemes') ?? member(document, 'securityDefinitions');
  if (!isObject(schemes)) return [];
  return [...new Set(Object.values(schemes).flatMap((scheme) => text(member(scheme, 'type')) ?? []))].slice(0, 10);
}

/** URLs of the descriptions in an API catalog (RFC 9727: a linkset of RFC 9264 with `service-desc`). */
export function catalogueLinks(catalogue: JsonValue): readonly string[] {
  const linkset = list(member(catalogue, 'linkset')) ?? [];
  return linkset
    .flatMap((context) => list(member(context as JsonObject, 'service-desc')) ?? [])
    .flatMap((link) => text(member(link, 'href')) ?? []);
}

function serversHold(servers: JsonValue | undefined): boolean {
  return (
    servers === undefined || (list(servers)?.every((server) => text(member(server, 'url')) !== undefined) ?? false)
  );
}
