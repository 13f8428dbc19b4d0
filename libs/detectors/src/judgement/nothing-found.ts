import { defined } from '@app/platform';
import type { Exchange } from '../evidence/exchange';
import { gateOf } from '../evidence/foreign-402';
import type { Reading } from '../evidence/reading';
import type { JsonObject } from '../formats/json';
import type { Judgement } from './judgement';

/** The exchange of a reading, or undefined if there was no request. */
export function exchangeOf(reading: Reading): Exchange | undefined {
  if (reading.kind === 'unasked') return undefined;
  return reading.kind === 'blocked' ? reading.exchange : reading.answer;
}

/**
 * The judgement if no candidate has anything of the protocol: `error` if one candidate could not be read (a 429 on the
 * main path with a 404 on the alternative is not absence, nor is a 405), otherwise `absent`, with the reason why a page
 * does not count. `details` are added to an `absent`, for notes that the spec requires.
 */
export function nothingFound(readings: readonly Reading[], details: JsonObject = {}): Judgement {
  const decidedBy = readings.map(exchangeOf).filter((exchange) => exchange !== undefined);
  const block = readings.find((reading) => reading.kind === 'blocked');
  if (block) return { status: 'error', details: blockDetails(block), decidedBy };
  const unpaid = readings.find((reading) => reading.kind === 'payment_required');
  if (unpaid) {
    const details = { reason: 'payment_required', statusCode: 402, ...gateOf(unpaid.answer) };
    return { status: 'error', details, decidedBy };
  }
  const refused = readings.find((reading) => reading.kind === 'refused' || reading.kind === 'redirect');
  if (refused) return { status: 'error', details: blockDetails(refused), decidedBy };
  const note = readings.map((reading) => (reading.kind === 'missing' ? reading.note : undefined)).find(Boolean);
  return {
    status: 'absent',
    details: { ...(note === 'catch_all' ? { catchAll: true } : defined({ note })), ...details },
    decidedBy,
  };
}

/** The `details` of an `error` cell: the reason from the closed list and additional data (behaviour 4.2, 4.4). */
export function blockDetails(reading: Extract<Reading, { kind: 'blocked' | 'refused' | 'redirect' }>): JsonObject {
  if (reading.kind !== 'blocked') return { reason: 'refused', statusCode: reading.answer.status };
  const { reason, statusCode, retryAfterSec, wall, redirectedTo } = reading;
  return { reason, statusCode, retryAfterSec, wall, redirectedTo };
}
