import { type DeepReadonly, defined } from '@app/platform';
import { z } from 'zod';
import { anyJson, url } from './answer-schema';
import { DriftEvent } from './drift-event';

/** A stored change. The database assigns the id, which is also the cursor of the list (behaviour 1.7). */
export interface ChangeRecord extends DriftEvent {
  readonly id: string;
}

/** Behaviour 7.6: the public part of a change. */
const ChangeSummary = DriftEvent.omit({ before: true, after: true }).extend({ id: z.string() });
export type ChangeSummary = DeepReadonly<z.infer<typeof ChangeSummary>>;

/** Behaviour 7.6: a change in an answer; only full events have `before` and `after`. */
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
  nextCursor: z.string().describe('`cursor` of the next page.').exactOptional(),
  nextBefore: z.string().meta({ deprecated: true }).describe('Deprecated name of `nextCursor`.').exactOptional(),
  subscribe: SubscribeOffer,
});
export type ChangesReport = DeepReadonly<z.infer<typeof ChangesReport>>;

/** Behaviour 1.7: the number of public summaries. */
export const FREE_CHANGES = 5;

/**
 * The answer of endpoint 3. `records` is sorted newest first and may have one more than `limit`, which produces
 * `nextCursor`. The public gets no cursor, because further pages are for subscribers.
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
  const next = records.length > limit ? shown.at(-1)?.id : undefined;
  return { domain, full, changes: shown.map(recordOf), ...defined({ nextCursor: next, nextBefore: next }), subscribe };
}

function summaryOf({ id, at, protocol, kind, summary }: ChangeRecord): ChangeSummary {
  return { id, at, protocol, kind, summary };
}

/** Copies the fields by name, so that other columns of a database row are not shown. */
function recordOf(record: ChangeRecord): ChangeRecord {
  return { ...summaryOf(record), before: record.before, after: record.after };
}
