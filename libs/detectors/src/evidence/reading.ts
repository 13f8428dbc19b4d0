import { defined } from '@app/platform';
import { readCutJson, readJson, type JsonValue } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { sniff } from '../formats/sniff';
import { botWall } from './bot-wall';
import { isWellKnown } from './control';
import { header, type Answer, type Exchange, type FailureReason } from './exchange';
import { gateAt, gatePage, type GatePage, type RedirectGate } from './gate';
import { onceEach } from './once-each';

/** Why the probe could not check it. An unread document is never called absent. */
export type BlockReason =
  | FailureReason
  | RedirectGate['reason']
  | GatePage
  | 'rate_limited'
  | 'forbidden'
  | 'server_error'
  | 'payment_required'
  /** Another status of no success; `statusCode` tells which. */
  | 'refused';

/**
 * One answer, read by the rules every detector shares: status first, then what the host says to any path, then the
 * first characters of the body. The content type decides nothing (behaviour 4.4, 4.8).
 */
export type Reading =
  | { readonly kind: 'json'; readonly answer: Answer; readonly value: JsonValue }
  /** A 2xx body that starts like JSON and is not. */
  | { readonly kind: 'broken_json'; readonly answer: Answer }
  | { readonly kind: 'text'; readonly answer: Answer }
  /** `catchAll`: the host says the same to a random path, so the page proves nothing. */
  | { readonly kind: 'html'; readonly answer: Answer; readonly catchAll: boolean }
  | { readonly kind: 'empty'; readonly answer: Answer }
  /** Nothing there: 404, 410, or what the host says to nonsense. */
  | {
      readonly kind: 'missing';
      readonly answer: Answer;
      readonly note?: AnswerPatterns['forbidsMissing'] | 'catch_all' | 'redirects_all';
    }
  | {
      readonly kind: 'blocked';
      readonly exchange: Exchange;
      readonly reason: BlockReason;
      readonly statusCode?: number;
      /** From `Retry-After` in seconds, when it parses. */
      readonly retryAfterSec?: number;
      /** Provider of a bot wall. */
      readonly wall?: string;
      /** Name of the host that a redirect leads to. */
      readonly redirectedTo?: string;
    }
  /** 402: it may hold a payment challenge. */
  | { readonly kind: 'payment_required'; readonly answer: Answer }
  /** 3xx that was not followed (`redirects: 'manual'`). */
  | { readonly kind: 'redirect'; readonly answer: Answer; readonly location: string }
  /** Neither a document nor a plain "not found" (400, 405, 406, 418, 451 ...): why the document could not be seen. */
  | { readonly kind: 'refused'; readonly answer: Answer }
  | { readonly kind: 'unasked'; readonly url: string };

/** A reading that says nothing of what the host publishes there. */
export function isUnseen({ kind }: Reading): boolean {
  return kind === 'blocked' || kind === 'refused' || kind === 'redirect';
}

/** What a reading must know about the host beyond the answer itself. */
export interface AnswerPatterns {
  readonly forbidsMissing: 'uniform_403' | 'well_known_forbidden' | undefined;
  isCatchAll(answer: Answer): boolean;
  ownRedirects(answer: Answer): Answer['redirects'];
  sharesTarget(answer: Answer): boolean;
  controlBy(target: string): Exchange | undefined;
  readingOf(exchange: Exchange): Reading;
  resolve(url: string, base?: string): string | undefined;
  sameSite(url: string): boolean;
}

export function readExchange(exchange: Exchange, seen: AnswerPatterns): Reading {
  if (exchange.kind === 'failure') {
    const { reason, url } = exchange;
    // This service cut the response, so it is not the host's answer. The document counts as not requested.
    return reason === 'budget_spent' ? { kind: 'unasked', url } : { kind: 'blocked', exchange, reason };
  }
  const answer = exchange;
  const { status } = answer;
  const wall = botWall(answer);
  if (wall) return { ...blocked(answer, 'bot_challenge'), wall };
  if (status === 402) return { kind: 'payment_required', answer };
  if (status === 404 || status === 410) return { kind: 'missing', answer };
  const gate = redirectGate(answer, seen);
  if (gate) return { ...blocked(answer, gate.reason), redirectedTo: gate.redirectedTo };
  if (status === 429) return blocked(answer, 'rate_limited');
  if (status === 401 || status === 407) return blocked(answer, 'auth_required');
  if (status === 403) {
    const note = seen.forbidsMissing;
    const said = note !== undefined && (note === 'uniform_403' || isWellKnown(answer.url)) && seen.isCatchAll(answer);
    return said ? { kind: 'missing', answer, note } : blocked(answer, 'forbidden');
  }
  if (status >= 500) return blocked(answer, 'server_error');
  if (status >= 400) return { kind: 'refused', answer };
  return status >= 300 ? readRedirect(answer, seen) : readBody(answer, seen);
}

/** A redirect that was not followed, within the site. */
function readRedirect(answer: Answer, seen: AnswerPatterns): Reading {
  const location = header(answer, 'location');
  if (location === undefined) return { kind: 'refused', answer };
  const target = seen.resolve(location, answer.finalUrl);
  const back = parseUrl(target ?? '')?.pathname === parseUrl(answer.finalUrl)?.pathname;
  if (back && header(answer, 'set-cookie') !== undefined) return blocked(answer, 'cookie_gate');
  const control = target === undefined ? undefined : seen.controlBy(target);
  if (!control || control.url === answer.url) return { kind: 'redirect', answer, location };
  // Not followed, because the target is known: the host sends nonsense paths there, too.
  const there = seen.readingOf(control);
  if (there.kind === 'blocked') return { ...there, exchange: answer };
  if (there.kind === 'refused') return { ...there, answer };
  return there.kind === 'payment_required' ? there : { kind: 'missing', answer, note: 'redirects_all' };
}

/**
 * The login, waiting room or other site that an answer was redirected to. A home page may lead visitors anywhere: that
 * says something only when every path leads there.
 */
function redirectGate(answer: Answer, seen: AnswerPatterns): RedirectGate | undefined {
  const location = answer.status >= 300 && answer.status < 400 ? header(answer, 'location') : undefined;
  const target =
    location === undefined ? seen.ownRedirects(answer).at(-1)?.location : seen.resolve(location, answer.finalUrl);
  if (target === undefined || isDocument(answer)) return undefined;
  const gate = gateAt(target, answer.url, !seen.sameSite(target));
  return gate && (parseUrl(answer.url)?.pathname !== '/' || seen.isCatchAll(answer)) ? gate : undefined;
}

function isDocument({ status, body }: Answer): boolean {
  return status < 300 && ['json', 'text'].includes(sniff(body));
}

function blocked(answer: Answer, reason: BlockReason): Extract<Reading, { kind: 'blocked' }> {
  return {
    kind: 'blocked',
    exchange: answer,
    reason,
    statusCode: answer.status,
    ...defined({ retryAfterSec: retryAfter(answer) }),
  };
}

/** An endpoint that a document names is refused by the 403 that any path gets; only a document is missing then (behaviour 4.8). */
export function asEndpoint(reading: Reading): Reading {
  return reading.kind === 'missing' && reading.answer.status === 403 ? blocked(reading.answer, 'forbidden') : reading;
}

/** The response is longer than the read limit, so its content is unknown. */
export function tooLarge(answer: Answer): Extract<Reading, { kind: 'blocked' }> {
  return { kind: 'blocked', exchange: answer, reason: 'too_large', statusCode: answer.status };
}

/** JSON that an answer says, of a cut one what it says up to there (behaviour 4.9). */
export interface SaidJson {
  readonly answer: Answer;
  readonly value: JsonValue;
  readonly truncated: boolean;
}

export function saidJson(reading: Reading): SaidJson | undefined {
  if (reading.kind === 'json') return { answer: reading.answer, value: reading.value, truncated: false };
  if (reading.kind !== 'blocked' || reading.reason !== 'too_large' || reading.exchange.kind !== 'answer')
    return undefined;
  const value = reading.exchange.truncated ? cutJson(reading.exchange) : undefined;
  return value === undefined ? undefined : { answer: reading.exchange, value, truncated: true };
}

const cutJson = onceEach((answer: Answer) => (sniff(answer.body) === 'json' ? readCutJson(answer.body) : undefined));

function readBody(answer: Answer, seen: AnswerPatterns): Reading {
  const catchAll = seen.isCatchAll(answer);
  const kind = sniff(answer.body);
  const gate = gatePage(answer, catchAll);
  if (gate) return blocked(answer, gate);
  // A wildcard redirect (home, say) publishes nothing, whatever page it ends on.
  if (seen.sharesTarget(answer)) return { kind: 'missing', answer, note: 'redirects_all' };
  if (kind === 'html') return { kind: 'html', answer, catchAll };
  if (catchAll) return { kind: 'missing', answer, note: 'catch_all' };
  if (kind === 'empty') return { kind: 'empty', answer };
  if (kind === 'text') return { kind: 'text', answer };
  const json = readJson(answer.body);
  if (json.ok) return { kind: 'json', answer, value: json.value };
  // Cut JSON, or more of it than is read, decides nothing: the host may have published enough.
  if (answer.truncated || json.reason === 'too_large') return tooLarge(answer);
  return { kind: 'broken_json', answer };
}

/** `Retry-After` in seconds; the HTTP-date form counts from the time of the answer (RFC 9110 section 10.2.3). */
function retryAfter(answer: Answer): number | undefined {
  const value = header(answer, 'retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.round((at - Date.parse(answer.observedAt)) / 1000));
}
