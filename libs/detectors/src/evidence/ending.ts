import { parseUrl } from '../formats/parse-url';
import { botWall } from './bot-wall';
import type { Exchange, FailureReason } from './exchange';
import { onceEach } from './once-each';

/** Why an origin gets no more requests, and the exchange that caused it. */
export interface Ending {
  readonly reason: FailureReason;
  readonly exchange: Exchange;
}

/**
 * After these failures, another request to the same name is pointless, because its addresses do not change during a
 * probe.
 */
const HOPELESS: ReadonlySet<FailureReason> = new Set(['dns_nxdomain', 'dns_timeout', 'dns_failure', 'address_refused']);

/** Failures to establish a connection. */
const UNCONNECTED: ReadonlySet<FailureReason> = new Set([
  'connect_refused',
  'connect_timeout',
  'connection_reset',
  'tls_error',
]);

/** Failures after an answer started. */
const BEHIND_AN_ANSWER: ReadonlySet<FailureReason> = new Set([
  'headers_too_large',
  'too_large',
  'bad_encoding',
  'redirect_refused',
  'redirect_loop',
  'cookie_gate',
]);

/** After this many consecutive failures, an origin gets no more requests. */
const MOST_FAILURES = 3;

/** After this many consecutive bot walls, the whole host gets no more requests. */
const MOST_WALLS = 2;

/** Whether a failure means that there was no answer at all; such a name is not worth a second try. */
export function isUnreachable(reason: FailureReason): boolean {
  return HOPELESS.has(reason) || UNCONNECTED.has(reason) || reason === 'timeout';
}

/** Whether the host had started an HTTP answer before a request failed. */
export function isBehindAnswer(reason: FailureReason): boolean {
  return BEHIND_AN_ANSWER.has(reason);
}

const isWall = onceEach(botWall);
const originOf = onceEach(({ url }: Exchange) => parseUrl(url)?.origin);

/**
 * Why a probe ended at an origin, derived from the exchanges in the order in which they ended: the prober stops by this
 * rule, and judgements use it for documents that were not requested. An origin that never answers in time is treated
 * like one that accepts no connections.
 */
export function endingOf(exchanges: readonly Exchange[], origin: string): Ending | undefined {
  let walls = 0;
  let failures = 0;
  let answered = false;
  for (const exchange of exchanges) {
    const here = originOf(exchange) === origin;
    if (exchange.kind === 'answer') {
      walls = isWall(exchange) === undefined ? 0 : walls + 1;
      if (walls >= MOST_WALLS) return { reason: 'bot_challenge', exchange };
      if (here) [failures, answered] = [0, true];
    } else if (here && exchange.redirects.length === 0) {
      // After a redirect, the origin itself did answer; the failure is at the target.
      const { reason } = exchange;
      if (HOPELESS.has(reason)) return { reason, exchange };
      if (UNCONNECTED.has(reason) || (reason === 'timeout' && !answered)) failures += 1;
      if (failures >= MOST_FAILURES) return { reason, exchange };
    }
  }
  return undefined;
}
