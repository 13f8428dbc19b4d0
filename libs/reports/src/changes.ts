import { type DeepReadonly, defined } from '@app/platform';
import { z } from 'zod';
import { anyJson, url } from './answer-schema';
import { DriftEvent } from './drift-event';

/** A stored change; the database gives the id, which is also the cursor of behaviour 1.7 `limit`. */
export interface ChangeRecord extends DriftEvent {
  readonly id: string;
}

/** Behaviour 7.6: the public part of a change. */
const ChangeSummary = DriftEvent.omit({ before: true, after: true }).extend({ id: z.string() });
export type ChangeSummary = DeepReadonly<z.infer<typeof ChangeSummary>>;

/** Behaviour 7.6: a change as it is shown; `before` and `after` come with full events only. */
export const Change = ChangeSummary.extend({ before: anyJson.exactOptional(), after: anyJson.exactOptional() });
export type Change = DeepReadonly<z.infer<typeof Change>>;

/** How to get the full history of this origin. */
export const SubscribeOffer = z.object({
  priceUsd: z.number(),
  days: z.int(),
  network: z.string(),
  rest: z.object({ method: z.literal('POST'), url }),
  docs: url,
});
export type SubscribeOffer = DeepReadonly<z.infer<typeof SubscribeOffer>>;

/** Behaviour 7.6. */
export const ChangesReport = z.object({
  domain: z.string(),
  full: z.boolean().describe('Whether the changes include the values before and after.'),
  changes: z.array(Change).describe('Newest first.'),
  nextBefore: z.string().describe('`before` for the next page.').exactOptional(),
  subscribe: SubscribeOffer,
});
export type ChangesReport = DeepReadonly<z.infer<typeof ChangesReport>>;

/** Behaviour 1.7: the number of public summaries. */
export const FREE_CHANGES = 5;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;

/**
 * How many changes to show (behaviour 1.7): always 5 to the public; 1 to 50 to a subscriber, 20 by default.
 * Text that is no whole number is ignored, a number out of range is brought into it.
 */
export function changesLimit(wanted: string | number | undefined, full: boolean): number {
  if (!full) return FREE_CHANGES;
  const limit = typeof wanted === 'string' && wanted.trim() === '' ? NaN : Number(wanted);
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
  return { domain, full, changes: shown.map(recordOf), ...defined({ nextBefore: last?.id }), subscribe };
}

function summaryOf({ id, at, protocol, kind, summary }: ChangeRecord): ChangeSummary {
  return { id, at, protocol, kind, summary };
}

/** Names the members, so that a database row with more of them shows no more. */
function recordOf(record: ChangeRecord): ChangeRecord {
  return { ...summaryOf(record), before: record.before, after: record.after };
}
