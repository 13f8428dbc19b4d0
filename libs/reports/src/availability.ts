import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time } from './answer-schema';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
/** Bytes of a day: 96 quarters of an hour, two bits each (up, down), the first one in the lowest bits. */
const DAY_BYTES = 24;
/**
 * The number of complete days in a history. Today is not included, so it changes at midnight (UTC) and not with each
 * probe.
 */
export const HISTORY_DAYS = 90;
/** The quantile of the normal distribution for 95 %. */
const Z = 1.959963984540054;
/** Consecutive failures that open an incident, and consecutive successes that close it. */
const IN_A_ROW = 2;

/** Includes `items`, which OpenAPI tools require for every array. */
const between = z.tuple([time.nullable(), time]).meta({ items: { type: 'string' }, minItems: 2, maxItems: 2 });

/** Behaviour 3.13. Both times are observations: the host went down, or came back, between them. */
const Incident = z.object({
  beginsBetween: between.describe(
    'The host went down between these two times: the last quarter-hour when it was up, and the first when it was down. The first time is null if the host was already down when this period began.',
  ),
  endsBetween: between
    .nullable()
    .describe(
      'The host came back between these two times: the last quarter-hour when it was down, and the first when it was up again. Null while the host is down.',
    ),
  failures: z.int().describe('Number of quarter-hours in which the host was down.'),
});
export type Incident = DeepReadonly<z.infer<typeof Incident>>;

/** Behaviour 3.13. */
export const History = z.object({
  from: z.iso.date().describe('First day (UTC).'),
  to: z.iso.date().describe('Last day (UTC), yesterday at the latest.'),
  up: z.int().describe('Scheduled probes that the host answered.'),
  down: z.int().describe('Scheduled probes that the host did not answer.'),
  unknown: z.int().describe('Scheduled probes that failed because of this service; not counted in up or down.'),
  low: z.number().describe('Lower end of the 95 % confidence interval (Wilson) of the uptime, 0 to 1.'),
  high: z.number().describe('Upper end of the interval.'),
  incidents: z
    .array(Incident)
    .describe('The 10 most recent incidents, in chronological order. Paid probes count here as well.'),
});
export type History = DeepReadonly<z.infer<typeof History>>;

/** The result of one probe for availability (behaviour 14.3). */
export interface HostSample {
  readonly at: Date;
  /** `unknown` if the fault was on our side. */
  readonly outcome: 'up' | 'down' | 'unknown';
  /** Why it was down or unknown, from a closed list, so that there are few counters per day. */
  readonly reason?: string;
  /** Paid probes are often made when something seems wrong, so they are counted separately. */
  readonly bought: boolean;
}

/** The counts of some days of a host. */
export interface DayOutcomes {
  readonly up: number;
  readonly down: number;
  readonly unknown: number;
  /** For days with a failure: the start time in milliseconds, and the quarters of an hour. */
  readonly days: readonly { readonly beginsAt: number; readonly quarters: Uint8Array }[];
}

/** A quarter-hour with a conclusive probe. */
export interface Observation {
  /** The start time in milliseconds. */
  readonly at: number;
  readonly up: boolean;
}

const MAX_INCIDENTS = 10;

/** The first and last day of a history read at `now`, as ISO dates. */
export function historyDays(now: Date): { readonly from: string; readonly to: string } {
  const day = (back: number): string => new Date(now.getTime() - back * DAY_MS).toISOString().slice(0, 10);
  return { from: day(HISTORY_DAYS), to: day(1) };
}

/** The `history` field of a report. */
export function historyOf({ up, down, unknown, days }: DayOutcomes, span: { from: string; to: string }): History {
  const seen = days.flatMap(({ beginsAt, quarters }) => observations(quarters, beginsAt));
  return { ...span, up, down, unknown, ...interval(up, up + down), incidents: incidentsIn(seen).slice(-MAX_INCIDENTS) };
}

/** Wilson's 95 % score interval, rounded outwards to four digits; 0 to 1 without probes. */
export function interval(up: number, probes: number): Pick<History, 'low' | 'high'> {
  if (probes === 0) return { low: 0, high: 1 };
  const share = up / probes;
  const spread = (Z * Z) / probes;
  const centre = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / probes + spread / (4 * probes));
  // At the ends the bound is exact, but floating point is not.
  const low = up === 0 ? 0 : Math.floor((centre - half) * 10_000) / 10_000;
  const high = up === probes ? 1 : Math.ceil((centre + half) * 10_000) / 10_000;
  return { low: Math.max(0, low), high: Math.min(1, high) };
}

/** The conclusive quarters of a day, in order. If the host answered at all, the quarter counts as up. */
export function observations(quarters: Uint8Array, beginsAt: number): readonly Observation[] {
  return Array.from({ length: DAY_BYTES * 4 }, (_, quarter) => ({
    at: beginsAt + quarter * QUARTER_MS,
    bits: ((quarters[quarter >> 2] ?? 0) >> ((quarter % 4) * 2)) & 0b11,
  }))
    .filter(({ bits }) => bits !== 0)
    .map(({ at, bits }) => ({ at, up: (bits & 0b01) !== 0 }));
}

/**
 * An incident opens at the second consecutive failure and closes at the second consecutive success. @param seen in
 * chronological order
 */
export function incidentsIn(seen: readonly Observation[]): readonly Incident[] {
  const found: Incident[] = [];
  let open: { readonly from: number; failures: number; lastDown: number } | undefined;
  const runs = runsOf(seen);
  for (const [index, { up, first, last, length }] of runs.entries()) {
    if (!up) {
      if (open) Object.assign(open, { failures: open.failures + length, lastDown: last });
      else if (length >= IN_A_ROW) open = { from: index, failures: length, lastDown: last };
    } else if (open && length >= IN_A_ROW) {
      found.push(incident(runs, open, [iso(open.lastDown), iso(first + QUARTER_MS)]));
      open = undefined;
    }
  }
  return open ? [...found, incident(runs, open, null)] : found;
}

interface Run {
  readonly up: boolean;
  readonly first: number;
  last: number;
  length: number;
}

/** Merges equal neighbors. */
function runsOf(seen: readonly Observation[]): readonly Run[] {
  const runs: Run[] = [];
  for (const { at, up } of seen) {
    const run = runs.at(-1);
    if (run?.up === up) Object.assign(run, { last: at, length: run.length + 1 });
    else runs.push({ up, first: at, last: at, length: 1 });
  }
  return runs;
}

function incident(
  runs: readonly Run[],
  { from, failures }: { readonly from: number; readonly failures: number },
  endsBetween: Incident['endsBetween'],
): Incident {
  const before = runs[from - 1];
  const begun = runs[from];
  return {
    beginsBetween: [before ? iso(before.last) : null, iso((begun?.first ?? 0) + QUARTER_MS)],
    endsBetween,
    failures,
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
