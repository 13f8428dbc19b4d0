import { isObject, text, type JsonObject, type JsonValue, type ProtocolCell } from '@app/detectors';

/** A cell reduced to what its host decides: two looks at an unchanged host give the same one. */
export interface NormalCell {
  readonly status: 'absent' | 'partial' | 'present';
  readonly version: string | null;
  readonly endpoint: string | null;
  /** Without volatile members, `version` and `endpoint`; lists sorted. */
  readonly details: JsonObject;
}

/**
 * Members that differ between two looks at an unchanged host: evidence and sizes, states of the network, what a
 * challenge draws anew, and findings and reasons, which are our opinion and move with our rules. Amounts, recipients
 * and the routes that asked for them are compared as rails.
 */
const VOLATILE: ReadonlySet<string> = new Set([
  'evidence',
  'findings',
  'reasons',
  'bytes',
  'truncated',
  'sha256',
  'excerpt',
  'statusCode',
  'interfaceStatus',
  'retryAfterSec',
  'timingsMs',
  'expires',
  'nonce',
  'payTo',
  'recipient',
  'amount',
  'amountUsd',
  'resource',
]);

/** Times and durations: `observedAt`, `connectMs`. */
const CLOCK_MEMBER = /[a-z](?:At|Ms)$/;

/** Members that have change kinds of their own; at the top of the details and in the profile quoted there. */
const OWN_KIND: ReadonlySet<string> = new Set(['version', 'endpoint']);

/** The comparable form, or undefined for `error` and `undiscoverable`: neither says anything about the host. */
export function normalCell(cell: ProtocolCell): NormalCell | undefined {
  if (cell.status === 'error' || cell.status === 'undiscoverable') return undefined;
  const profile = cell.details['profile'];
  const endpoint = text(cell.details['endpoint']) ?? (isObject(profile) ? text(profile['endpoint']) : undefined);
  const quoted = isObject(profile) ? { profile: without(profile, OWN_KIND) } : {};
  return {
    status: cell.status,
    version: cell.version,
    endpoint: endpoint ?? null,
    details: stable({ ...without(cell.details, OWN_KIND), ...quoted }) as JsonObject,
  };
}

/** Text that is equal for equal values, whatever the order of their members. */
export function canonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => canonicalJson(item)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join()}}`;
}

function without(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/**
 * Lists become sets. Order says nothing in any of the documents we read, and some hosts shuffle; repeats come from the
 * routes that happened to answer, each with the same options.
 */
function stable(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => stable(item)).map((item) => [canonicalJson(item), item] as const);
    return [...new Map(items)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  }
  if (!isObject(value)) return value ?? null;
  const members = Object.entries(value).filter(
    ([name, item]) => item !== undefined && !VOLATILE.has(name) && !CLOCK_MEMBER.test(name),
  );
  return Object.fromEntries(members.map(([name, item]) => [name, stable(item)]));
}
