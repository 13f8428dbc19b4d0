import { isFound, RULES, type Exchange, type Fix, type ProtocolCell } from '@app/detectors';
import { defined, type DeepReadonly } from '@app/platform';
import { PaymentRail } from '@app/reports';
import { z } from 'zod';

const FoundCell = z.object({
  status: z.enum(['present', 'partial', 'absent', 'undiscoverable', 'error']),
  version: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** The host gives the same answer for any path, so the protocol may not really exist. */
  catchAll: z.literal(true).exactOptional(),
  /** Ids of the fixes. */
  fixes: z.array(z.string()).exactOptional(),
});

const FoundRequest = z.object({
  method: z.enum(['GET', 'POST']),
  url: z.string(),
  phase: z.string(),
  status: z.int().exactOptional(),
  /** Why there was no answer. */
  reason: z.string().exactOptional(),
  bytes: z.int().exactOptional(),
  sha256: z.string().exactOptional(),
});

/** The stored result of one host, without its documents. */
export const CensusFinding = z.object({
  /** Version of the detector rules. */
  rules: z.string(),
  /** Whether there was a full probe, or only a first pass. */
  probed: z.enum(['first', 'full']),
  /** Protocols of which the first pass found a sign. */
  signs: z.array(z.string()),
  requests: z.array(FoundRequest),
  /** By protocol; empty without a full probe. */
  cells: z.record(z.string(), FoundCell),
  payable: z.boolean(),
  rails: z.array(PaymentRail),
  signals: z.array(z.object({ id: z.string(), status: z.string() })),
});
export type CensusFinding = DeepReadonly<z.infer<typeof CensusFinding>>;

/** The result of a full probe. */
export interface FullFinding {
  readonly cells: readonly ProtocolCell[];
  readonly fixes: readonly Fix[];
  readonly rails: { readonly payable: boolean; readonly rails: readonly PaymentRail[] };
  readonly signals: readonly { readonly id: string; readonly status: string }[];
}

/** @param full undefined if the first pass was sufficient */
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

/** Whether a full probe found any published protocol. */
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
