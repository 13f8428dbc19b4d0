import { parseUrl } from '../formats/parse-url';
import { botWall } from './bot-wall';
import type { Exchange, FailureReason } from './exchange';
import { onceEach } from './once-each';

/** Why an origin gets no further request, and the exchange that showed it. */
export interface Ending {
  readonly reason: FailureReason;
  readonly exchange: Exchange;
}

/** Failures after which another request to the same name is pointless: its addresses are known for this probe. */
const HOPELESS: ReadonlySet<FailureReason> = new Set(['dns_nxdomain', 'dns_timeout', 'dns_failure', 'address_refused']);

/** Failures to get a connection. */
const UNCONNECTED: ReadonlySet<FailureReason> = new Set([
  'connect_refused',
  'connect_timeout',
  'connection_reset',
  'tls_error',
]);

/** Failures that an answer began before. */
const BEHIND_AN_ANSWER: ReadonlySet<FailureReason> = new Set([
  'headers_too_large',
  'too_large',
  'bad_encoding',
  'redirect_refused',
  'redirect_loop',
  'cookie_gate',
]);

/** So many of them without an answer in between, and the origin is left alone. */
const MOST_FAILURES = 3;

/** Bot walls in a row after which the whole host is left alone. */
const MOST_WALLS = 2;

/** Whether a failure says that no connection brought an answer: a name that fails so gets no second try by who is in a hurry. */
export function isUnreachable(reason: FailureReason): boolean {
  return HOPELESS.has(reason) || UNCONNECTED.has(reason) || reason === 'timeout';
}

/** Whether the host had begun an HTTP answer when a request failed. */
export function isBehindAnswer(reason: FailureReason): boolean {
  return BEHIND_AN_ANSWER.has(reason);
}

const isWall = onceEach(botWall);
const originOf = onceEach(({ url }: Exchange) => parseUrl(url)?.origin);

/**
 * What ended a probe at an origin, told from the exchanges in the order in which they ended: the prober stops by it, and
 * a judgement names it for documents that were not requested. An origin that never answered in time is as good as one
 * that takes no connection.
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
      // After a redirect the origin itself did answer; what failed lies behind it.
      const { reason } = exchange;
      if (HOPELESS.has(reason)) return { reason, exchange };
      if (UNCONNECTED.has(reason) || (reason === 'timeout' && !answered)) failures += 1;
      if (failures >= MOST_FAILURES) return { reason, exchange };
    }
  }
  return undefined;
}
