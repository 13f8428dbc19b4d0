import { isUnspendable } from '@app/networks';
import { isObject, list, member, scalar, text, type JsonArray, type JsonObject, type JsonValue } from '../formats/json';
import { isPlaceholder } from './addresses';
import { readAccepts, type X402Accept } from './x402-accept';

/**
 * The existing kinds of manifests at `/.well-known/x402` and `/.well-known/x402.json`; the core specification does not
 * define one.
 */
type ManifestFamily =
  | 'host_manifest' //        kind + x402Version, draft-hawkins-x402-dns-discovery-03
  | 'items' //                x402Version + items[], x402-foundation/x402 issue 2582
  | 'x402version_accepts' //  has the form of a payment challenge
  | 'x402version_resources'
  | 'x402version_endpoints'
  | 'x402version_openapi' // descriptions state the terms, x402 working group on domain discovery
  | 'x402version_only'
  | 'fan_out' //              version + resources[], x402scan
  | 'version_endpoints'
  | 'bespoke' //              resources, endpoints, services, routes or accepts without any version
  | 'bare_list'
  | 'unrecognised';

/** A paid route in a manifest. */
interface ManifestRoute {
  readonly url: string;
  /** In upper case, if stated. */
  readonly method: string | null;
  readonly protocol: 'x402' | 'mpp';
  /** As stated, in any unit. */
  readonly price: string | null;
}

export interface X402Manifest {
  readonly family: ManifestFamily;
  /** 1 or 2; null if missing or something else. */
  readonly version: 1 | 2 | null;
  readonly statesVersion: boolean;
  readonly keys: readonly string[];
  readonly name: string | null;
  /** All its options, for the report; they never prove that the host can be paid. */
  readonly accepts: readonly X402Accept[];
  readonly routes: readonly ManifestRoute[];
  /** Whether every recipient in it is a template placeholder or unspendable. */
  readonly placeholder: boolean;
  /** Whether it has wallet signatures over the origin (x402scan convention). */
  readonly ownershipProofs: boolean;
}

/**
 * How many entries of one list are read; the longest real manifest has a few hundred routes, of which five are called.
 */
const MAX_ENTRIES = 2_000;
const LISTS = ['resources', 'endpoints', 'services', 'routes', 'items'] as const;

export function readX402Manifest(value: JsonValue): X402Manifest {
  const stated = member(value, 'x402Version');
  const version = stated === 1 || stated === '1' ? 1 : stated === 2 || stated === '2' ? 2 : null;
  const entries = LISTS.flatMap((name) => entriesOf(member(value, name)));
  const rows = Array.isArray(value) ? entriesOf(value) : entries;
  const objects = [value, ...rows].filter(isObject);
  return {
    family: familyOf(value),
    version,
    statesVersion: stated !== undefined,
    keys: isObject(value) ? Object.keys(value) : [],
    name: text(member(value, 'name')) ?? null,
    accepts: objects.flatMap((object) => readAccepts(member(object, 'accepts'), version ?? 2)),
    routes: [
      ...rows.flatMap((row) => routesOf(row, 'x402')),
      ...objects.flatMap(acceptRoutes),
      ...entriesOf(member(value, 'mppResources')).flatMap((row) => routesOf(row, 'mpp')),
    ],
    placeholder: onlyPlaceholders(objects),
    ownershipProofs: (list(member(value, 'ownershipProofs'))?.length ?? 0) > 0,
  };
}

function familyOf(value: JsonValue): ManifestFamily {
  if (Array.isArray(value))
    return (value as JsonArray).some((row) => routesOf(row, 'x402').length > 0) ? 'bare_list' : 'unrecognised';
  const has = (name: string) => member(value, name) !== undefined;
  if (has('x402Version')) {
    if (['facilitator', 'resource-server', 'both'].includes(text(member(value, 'kind')) ?? '')) return 'host_manifest';
    if (has('items')) return 'items';
    if (has('resources')) return 'x402version_resources';
    if (has('endpoints')) return 'x402version_endpoints';
    if (has('accepts')) return 'x402version_accepts';
    return has('openapi') ? 'x402version_openapi' : 'x402version_only';
  }
  if (has('version') && has('resources')) return 'fan_out';
  if (has('version') && has('endpoints')) return 'version_endpoints';
  return [...LISTS, 'accepts'].some((name) => Array.isArray(member(value, name)) || isObject(member(value, name)))
    ? 'bespoke'
    : 'unrecognised';
}

/** The items of an array, or of an object with paths as keys. */
function entriesOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return (value as JsonArray).slice(0, MAX_ENTRIES);
  if (!isObject(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_ENTRIES)
    .flatMap(([path, item]) => (isObject(item) ? [{ path, ...item }] : item === undefined ? [] : [item]));
}

function routesOf(row: JsonValue, protocol: ManifestRoute['protocol']): readonly ManifestRoute[] {
  if (typeof row === 'string') return parseRoute(row, { method: null, protocol, price: null });
  if (!isObject(row)) return [];
  const resource = member(row, 'resource');
  const url =
    text(member(row, 'url')) ??
    text(isObject(resource) ? member(resource, 'url') : resource) ??
    text(member(row, 'endpoint')) ??
    text(member(row, 'path'));
  const method = text(member(row, 'method')) ?? text(member(resource, 'method')) ?? inputMethod(row) ?? null;
  return url === undefined ? [] : parseRoute(url, { method, protocol, price: priceOf(row) });
}

/** The method in V1's `outputSchema.input` or in an `input` description like bazaar's. */
function inputMethod(row: JsonObject): string | undefined {
  const input = member(member(row, 'outputSchema'), 'input') ?? member(row, 'input');
  return text(member(input, 'method'));
}

function acceptRoutes(object: JsonObject): readonly ManifestRoute[] {
  return entriesOf(member(object, 'accepts')).flatMap((accept) => {
    const resource = text(member(accept, 'resource'));
    return resource === undefined || !isObject(accept)
      ? []
      : parseRoute(resource, { method: inputMethod(accept) ?? null, protocol: 'x402', price: priceOf(accept) });
  });
}

/** `https://…`, `/path`, or either after a method: `POST https://…`. Anything else is not a route. */
function parseRoute(stated: string, { method, protocol, price }: Omit<ManifestRoute, 'url'>): readonly ManifestRoute[] {
  const match = /^(?:([A-Za-z]{3,7})[ \t]+)?((?:https?:\/\/|\/)\S{0,2048})$/.exec(stated.trim());
  if (!match) return [];
  return [{ url: match[2] ?? '', method: (match[1] ?? method)?.toUpperCase() ?? null, protocol, price }];
}

/** The stated price of an entry, or of its first option. */
function priceOf(row: JsonObject): string | null {
  const price = member(row, 'price');
  const option = list(member(row, 'accepts'))?.[0];
  const stated = [
    isObject(price) ? member(price, 'amount') : price,
    ...[row, option].flatMap((holder) => [member(holder, 'amount'), member(holder, 'maxAmountRequired')]),
  ];
  return stated.map(scalar).find((price) => price !== undefined) ?? null;
}

function onlyPlaceholders(objects: readonly JsonObject[]): boolean {
  const payees = objects.flatMap((object) => [object, ...entriesOf(member(object, 'accepts'))]).flatMap(payeesOf);
  return payees.length > 0 && payees.every((payee) => isPlaceholder(payee) || isUnspendable(payee));
}

function payeesOf(holder: JsonValue): readonly string[] {
  return ['payTo', 'address', 'wallet', 'recipient'].flatMap((name) => text(member(holder, name)) ?? []);
}
