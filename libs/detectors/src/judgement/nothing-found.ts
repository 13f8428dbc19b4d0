import { defined } from '@app/platform';
import type { Exchange } from '../evidence/exchange';
import { gateOf } from '../evidence/foreign-402';
import type { Reading } from '../evidence/reading';
import type { JsonObject } from '../formats/json';
import type { Judgement } from './judgement';

/** The exchange behind a reading, or undefined when no request was made. */
export function exchangeOf(reading: Reading): Exchange | undefined {
  if (reading.kind === 'unasked') return undefined;
  return reading.kind === 'blocked' ? reading.exchange : reading.answer;
}

/**
 * The judgement when no candidate held anything of the protocol: `error` as soon as one candidate could not be read
 * (a 429 on the preferred path beside a 404 on the fallback is not absence, nor is a 405), otherwise `absent` with the
 * reason that made a page count as nothing. `details` are added to an `absent`, for the spec's own notes.
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

/** `details` of an `error` cell: the closed-vocabulary reason and what came with it (behaviour 4.2, 4.4). */
export function blockDetails(reading: Extract<Reading, { kind: 'blocked' | 'refused' | 'redirect' }>): JsonObject {
  if (reading.kind !== 'blocked') return { reason: 'refused', statusCode: reading.answer.status };
  const { reason, statusCode, retryAfterSec, wall, redirectedTo } = reading;
  return { reason, statusCode, retryAfterSec, wall, redirectedTo };
}
