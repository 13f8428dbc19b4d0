import type { DriftEvent } from './drift-event';

/** A stored change; the database gives the id, which is also the cursor of contract 1 `limit`. */
export interface ChangeRecord extends DriftEvent {
  readonly id: string;
}

/** Contract 4: what everybody sees of a change. */
export type ChangeSummary = Omit<ChangeRecord, 'before' | 'after'>;

/** How to get the full history of this origin. */
export interface SubscribeOffer {
  readonly priceUsd: number;
  readonly days: number;
  readonly network: string;
  readonly rest: { readonly method: 'POST'; readonly url: string };
  readonly docs: string;
}

/** Contract 4. `full` tells whether the changes carry `before` and `after`. */
export type ChangesReport = {
  readonly domain: string;
  readonly nextBefore?: string;
  readonly subscribe: SubscribeOffer;
} & (
  | { readonly full: false; readonly changes: readonly ChangeSummary[] }
  | { readonly full: true; readonly changes: readonly ChangeRecord[] }
);

/** Spec 1.6: summaries shown to anybody. */
export const FREE_CHANGES = 5;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;

/**
 * How many changes to show (contract 1): always 5 to the public; 1 to 50 to a subscriber, 20 unless asked otherwise.
 * Text that is no whole number is ignored, a number out of range is brought into it.
 */
export function changesLimit(asked: string | number | undefined, full: boolean): number {
  if (!full) return FREE_CHANGES;
  const limit = typeof asked === 'string' && asked.trim() === '' ? NaN : Number(asked);
  return Number.isInteger(limit) ? Math.min(MAX_LIMIT, Math.max(1, limit)) : DEFAULT_LIMIT;
}

/**
 * The answer of endpoint 3. `records` come newest first and may hold one more than `limit`, which then makes
 * `nextBefore`; the public gets no cursor, since it may not read on.
 */
export function changesReport(
  domain: string,
  records: readonly ChangeRecord[],
  limit: number,
  full: boolean,
  subscribe: SubscribeOffer,
): ChangesReport {
  const shown = records.slice(0, limit);
  if (!full) return { domain, full, changes: shown.map(summaryOf), subscribe };
  const last = records.length > limit ? shown.at(-1) : undefined;
  return { domain, full, changes: shown.map(recordOf), ...(last ? { nextBefore: last.id } : {}), subscribe };
}

function summaryOf({ id, at, protocol, kind, summary }: ChangeRecord): ChangeSummary {
  return { id, at, protocol, kind, summary };
}

/** Names the members, so that a database row with more of them shows no more. */
function recordOf(record: ChangeRecord): ChangeRecord {
  return { ...summaryOf(record), before: record.before, after: record.after };
}
