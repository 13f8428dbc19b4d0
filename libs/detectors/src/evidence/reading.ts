import { defined } from '@app/platform';
import { readCutJson, readJson, type JsonValue } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { sniff } from '../formats/sniff';
import { botWall } from './bot-wall';
import { isWellKnown } from './control';
import { header, type Answer, type Exchange, type FailureReason } from './exchange';
import { gateAt, gatePage, type GatePage, type RedirectGate } from './gate';
import { onceEach } from './once-each';

/** Why a document could not be checked. An unread document is never absent. */
export type BlockReason =
  | FailureReason
  | RedirectGate['reason']
  | GatePage
  | 'rate_limited'
  | 'forbidden'
  | 'server_error'
  | 'payment_required'
  /** Another unsuccessful status; see `statusCode`. */
  | 'refused';

/**
 * An answer, interpreted by the shared rules of all detectors: first the status, then the comparison with the control
 * pair, then the first characters of the body. The content type does not matter (behaviour 4.4, 4.8).
 */
export type Reading =
  | { readonly kind: 'json'; readonly answer: Answer; readonly value: JsonValue }
  /** A 2xx body that starts like JSON but is invalid. */
  | { readonly kind: 'broken_json'; readonly answer: Answer }
  | { readonly kind: 'text'; readonly answer: Answer }
  /** `catchAll`: the host gives the same page for a random path, so it proves nothing. */
  | { readonly kind: 'html'; readonly answer: Answer; readonly catchAll: boolean }
  | { readonly kind: 'empty'; readonly answer: Answer }
  /** Nothing there: 404, 410, or the same answer as for nonexistent paths. */
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
      /** From `Retry-After` in seconds, if valid. */
      readonly retryAfterSec?: number;
      /** Provider of the bot wall. */
      readonly wall?: string;
      /** Host name of a redirect target. */
      readonly redirectedTo?: string;
    }
  /** 402: it may contain a payment challenge. */
  | { readonly kind: 'payment_required'; readonly answer: Answer }
  /** 3xx that was not followed (`redirects: 'manual'`). */
  | { readonly kind: 'redirect'; readonly answer: Answer; readonly location: string }
  /** Neither a document nor a plain "not found" (400, 405, 406, 418, 451 ...): why the document could not be read. */
  | { readonly kind: 'refused'; readonly answer: Answer }
  | { readonly kind: 'unasked'; readonly url: string };

/** A reading that says nothing about the document. */
export function isUnseen({ kind }: Reading): boolean {
  return kind === 'blocked' || kind === 'refused' || kind === 'redirect';
}

/** The facts about the host that a reading needs in addition to the answer. */
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
    // We ended the request ourselves, so the document counts as not requested.
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

/** A same-site redirect that was not followed. */
function readRedirect(answer: Answer, seen: AnswerPatterns): Reading {
  const location = header(answer, 'location');
  if (location === undefined) return { kind: 'refused', answer };
  const target = seen.resolve(location, answer.finalUrl);
  const back = parseUrl(target ?? '')?.pathname === parseUrl(answer.finalUrl)?.pathname;
  if (back && header(answer, 'set-cookie') !== undefined) return blocked(answer, 'cookie_gate');
  const control = target === undefined ? undefined : seen.controlBy(target);
  if (!control || control.url === answer.url) return { kind: 'redirect', answer, location };
  // Not followed because the target is known: the host redirects nonexistent paths there, too.
  const there = seen.readingOf(control);
  if (there.kind === 'blocked') return { ...there, exchange: answer };
  if (there.kind === 'refused') return { ...there, answer };
  return there.kind === 'payment_required' ? there : { kind: 'missing', answer, note: 'redirects_all' };
}

/**
 * The login, waiting room or other site to which an answer was redirected. For a home page, it only counts if every
 * path is redirected there.
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

/**
 * If any path gets a 403, a missing document counts as missing, but a declared endpoint counts as refused (behaviour
 * 4.8).
 */
export function asEndpoint(reading: Reading): Reading {
  return reading.kind === 'missing' && reading.answer.status === 403 ? blocked(reading.answer, 'forbidden') : reading;
}

/** The response exceeds the read limit, so its content is unknown. */
export function tooLarge(answer: Answer): Extract<Reading, { kind: 'blocked' }> {
  return { kind: 'blocked', exchange: answer, reason: 'too_large', statusCode: answer.status };
}

/** The JSON of an answer; of a truncated one, the part that was read (behaviour 4.9). */
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
  // A wildcard redirect (for example to the home page) publishes nothing, whatever the final page is.
  if (seen.sharesTarget(answer)) return { kind: 'missing', answer, note: 'redirects_all' };
  if (kind === 'html') return { kind: 'html', answer, catchAll };
  if (catchAll) return { kind: 'missing', answer, note: 'catch_all' };
  if (kind === 'empty') return { kind: 'empty', answer };
  if (kind === 'text') return { kind: 'text', answer };
  const json = readJson(answer.body);
  if (json.ok) return { kind: 'json', answer, value: json.value };
  // Truncated or oversized JSON decides nothing: the host may have published enough.
  if (answer.truncated || json.reason === 'too_large') return tooLarge(answer);
  return { kind: 'broken_json', answer };
}

/** `Retry-After` in seconds; an HTTP date is relative to the time of the answer (RFC 9110 section 10.2.3). */
function retryAfter(answer: Answer): number | undefined {
  const value = header(answer, 'retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.round((at - Date.parse(answer.observedAt)) / 1000));
}
