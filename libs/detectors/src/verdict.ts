import type { Judgement } from './detector';
import type { Exchange } from './exchange';
import type { JsonObject } from './json';
import type { Reading } from './reading';

/** The exchange behind a reading, or nothing when it was not asked. */
export function exchangeOf(reading: Reading): Exchange | undefined {
  if (reading.kind === 'unasked') return undefined;
  return reading.kind === 'blocked' ? reading.exchange : reading.answer;
}

/**
 * The verdict when no candidate held anything of the protocol: `error` as soon as one candidate could not be looked
 * at (a 429 on the preferred path beside a 404 on the fallback is not absence), otherwise `absent` with the reason
 * that made a page count as nothing. `details` are added to an `absent`, for the spec's own notes.
 */
export function nothingFound(readings: readonly Reading[], details: JsonObject = {}): Judgement {
  const decidedBy = readings.map(exchangeOf).filter((exchange) => exchange !== undefined);
  const block = readings.find((reading) => reading.kind === 'blocked');
  if (block) return { status: 'error', details: blockDetails(block), decidedBy };
  const paywalled = readings.find((reading) => reading.kind === 'payment_required');
  if (paywalled) {
    return { status: 'error', details: { reason: 'payment_required', statusCode: 402 }, decidedBy };
  }
  const noted = readings.find((reading) => reading.kind === 'missing' && reading.note !== undefined);
  const note = noted?.kind === 'missing' ? noted.note : undefined;
  return {
    status: 'absent',
    details: { ...(note === 'catch_all' ? { catchAll: true } : note ? { note } : {}), ...details },
    decidedBy,
  };
}

/** `details` of an `error` cell: the closed-vocabulary reason and what came with it (spec 2.5, 2.6). */
export function blockDetails(block: Extract<Reading, { kind: 'blocked' }>): JsonObject {
  return {
    reason: block.reason,
    ...(block.statusCode === undefined ? {} : { statusCode: block.statusCode }),
    ...(block.retryAfterSec === undefined ? {} : { retryAfterSec: block.retryAfterSec }),
    ...(block.wall === undefined ? {} : { wall: block.wall }),
  };
}
