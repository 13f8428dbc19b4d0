import { isFound, RULES, type Exchange, type Fix, type ProtocolCell } from '@app/detectors';
import { defined, type DeepReadonly } from '@app/platform';
import { PaymentRail } from '@app/reports';
import { z } from 'zod';

const FoundCell = z.object({
  status: z.enum(['present', 'partial', 'absent', 'undiscoverable', 'error']),
  version: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** The host says the same to any path: what it publishes is not known by it. */
  catchAll: z.literal(true).exactOptional(),
  /** Ids of what there is to mend. */
  fixes: z.array(z.string()).exactOptional(),
});

const FoundRequest = z.object({
  method: z.enum(['GET', 'POST']),
  url: z.string(),
  phase: z.string(),
  status: z.int().exactOptional(),
  /** Why no answer came. */
  reason: z.string().exactOptional(),
  bytes: z.int().exactOptional(),
  sha256: z.string().exactOptional(),
});

/** What a census keeps of one host, without any document. */
export const CensusFinding = z.object({
  /** Version of the rules it was judged by. */
  rules: z.string(),
  /** Whether a full probe was made, or the first pass alone. */
  probed: z.enum(['first', 'full']),
  /** Protocols of which the first pass saw a sign. */
  signs: z.array(z.string()),
  requests: z.array(FoundRequest),
  /** By protocol; empty when no full probe was made. */
  cells: z.record(z.string(), FoundCell),
  payable: z.boolean(),
  rails: z.array(PaymentRail),
  signals: z.array(z.object({ id: z.string(), status: z.string() })),
});
export type CensusFinding = DeepReadonly<z.infer<typeof CensusFinding>>;

/** What a full probe concluded. */
export interface FullFinding {
  readonly cells: readonly ProtocolCell[];
  readonly fixes: readonly Fix[];
  readonly rails: { readonly payable: boolean; readonly rails: readonly PaymentRail[] };
  readonly signals: readonly { readonly id: string; readonly status: string }[];
}

/** @param full undefined when the first pass decided */
export function censusFinding(
  exchanges: readonly Exchange[],
  signs: readonly string[],
  full: FullFinding | undefined,
): CensusFinding {
  return {
    rules: RULES.version,
    probed: full ? 'full' : 'first',
    signs,
    requests: exchanges.map(requestOf),
    cells: Object.fromEntries((full?.cells ?? []).map((cell) => [cell.id, cellOf(cell, full?.fixes ?? [])])),
    payable: full?.rails.payable ?? false,
    rails: full?.rails.rails ?? [],
    signals: (full?.signals ?? []).map(({ id, status }) => ({ id, status })),
  };
}

/** Whether a full probe found something that the host publishes. */
export function findsAny(cells: readonly ProtocolCell[]): boolean {
  return cells.some(isFound);
}

function cellOf({ id, status, version, details }: ProtocolCell, all: readonly Fix[]): CensusFinding['cells'][string] {
  const { reason, note } = details;
  const why = typeof reason === 'string' ? reason : typeof note === 'string' ? note : undefined;
  const catchAll = details['catchAll'] === true ? (true as const) : undefined;
  const own = all.filter(({ protocol }) => protocol === id).map((fix) => fix.id);
  const fixes = own.length > 0 ? own : undefined;
  return { status, ...defined({ version: version ?? undefined, reason: why, catchAll, fixes }) };
}

function requestOf(exchange: Exchange): CensusFinding['requests'][number] {
  const { method, url, phase } = exchange;
  if (exchange.kind === 'failure') return { method, url, phase, reason: exchange.reason };
  const { status, bytes, sha256 } = exchange;
  return { method, url, phase, status, bytes, sha256 };
}
