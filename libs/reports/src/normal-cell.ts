import { isObject, text, type JsonObject, type JsonValue, type ProtocolCell } from '@app/detectors';

/** The part of a cell that the host controls: two probes of an unchanged host give the same one. */
export interface NormalCell {
  readonly status: 'absent' | 'partial' | 'present';
  readonly version: string | null;
  readonly endpoint: string | null;
  /** Without volatile fields, `version` and `endpoint`; lists are sorted. */
  readonly details: JsonObject;
}

/**
 * Fields that differ between two probes of an unchanged host: evidence and sizes, network conditions, random parts of a
 * challenge, and findings and reasons, which change with our rules. Amounts, recipients and their routes are compared
 * as payment options.
 */
const VOLATILE: ReadonlySet<string> = new Set(
  'evidence findings disagreements reason reasons bytes truncated sha256 excerpt statusCode interfaceStatus retryAfterSec timingsMs expires nonce payTo recipient amount amountUsd resource'.split(
    ' ',
  ),
);

/** Times and durations: `observedAt`, `connectMs`. */
const CLOCK_MEMBER = /[a-z](?:At|Ms)$/;

/** Fields with their own kinds of change, at the top of the details and in the quoted profile. */
const OWN_KIND: ReadonlySet<string> = new Set(['version', 'endpoint']);

/**
 * The comparable form; undefined for a cell that says nothing about the host: `error`, `undiscoverable`, and `partial`
 * because we have not called the advertised routes.
 */
export function normalCell(cell: ProtocolCell): NormalCell | undefined {
  if (cell.status === 'error' || cell.status === 'undiscoverable' || isUnexercised(cell)) return undefined;
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

/** Whether the advertised routes of a cell were not called yet (behaviour 5.7, 5.8). */
function isUnexercised({ status, details }: ProtocolCell): boolean {
  return status === 'partial' && details['reason'] === 'not_exercised';
}

/** Text that is equal for equal values, independent of the order of fields. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: JsonValue) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function without(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/**
 * Treats lists as sets. Order has no meaning in any of the documents, and some hosts shuffle; duplicates come from
 * several routes with the same options.
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
