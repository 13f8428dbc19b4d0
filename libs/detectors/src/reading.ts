import { botWall } from './bot-wall';
import { header, type Answer, type Exchange, type FailureReason } from './exchange';
import type { HostHabit } from './control';
import { readJson, type JsonFault, type JsonValue } from './json';
import { sniff } from './sniff';

/** Why we could not look. Never a reason to call something absent. */
export type BlockReason =
  FailureReason | 'rate_limited' | 'auth_required' | 'forbidden' | 'server_error' | 'payment_required';

/**
 * One answer, read by the rules every detector shares: status first, then the host's habit with nonsense, then the
 * first characters of the body. The content type decides nothing.
 */
export type Reading =
  | { readonly kind: 'json'; readonly answer: Answer; readonly value: JsonValue }
  /** A 2xx body that starts like JSON and is not. */
  | { readonly kind: 'broken_json'; readonly answer: Answer; readonly fault: JsonFault }
  | { readonly kind: 'text'; readonly answer: Answer }
  /** `habitual`: the host says the same to a random path, so the page proves nothing. */
  | { readonly kind: 'html'; readonly answer: Answer; readonly habitual: boolean }
  | { readonly kind: 'empty'; readonly answer: Answer }
  /** Nothing there: 404, 410, or what the host says to nonsense. */
  | { readonly kind: 'missing'; readonly answer: Answer; readonly note?: 'uniform_403' | 'catch_all' | 'redirects_all' }
  | {
      readonly kind: 'blocked';
      readonly exchange: Exchange;
      readonly reason: BlockReason;
      readonly statusCode?: number;
      /** From `Retry-After` in seconds, when it parses. */
      readonly retryAfterSec?: number;
      /** Provider of a bot wall. */
      readonly wall?: string;
    }
  /** 402: look for a payment challenge in it. */
  | { readonly kind: 'payment_required'; readonly answer: Answer }
  /** 3xx that was not followed (`redirects: 'manual'`). */
  | { readonly kind: 'redirect'; readonly answer: Answer; readonly location: string }
  /** The path exists and refuses this method or media type (400, 405, 406, 415, 426 ...). */
  | { readonly kind: 'refused'; readonly answer: Answer }
  | { readonly kind: 'unasked'; readonly url: string };

/** What a reading must know about the host beyond the answer itself. */
export interface HostHabits {
  readonly habit: HostHabit;
  isHabitual(answer: Answer): boolean;
}

export function readExchange(exchange: Exchange, seen: HostHabits): Reading {
  if (exchange.kind === 'failure') return { kind: 'blocked', exchange, reason: exchange.reason };
  const answer = exchange;
  const { status } = answer;
  const wall = botWall(answer);
  if (wall) return { ...blocked(answer, 'bot_challenge'), wall };
  if (status === 402) return { kind: 'payment_required', answer };
  if (status === 404 || status === 410) return { kind: 'missing', answer };
  if (status === 429) return blocked(answer, 'rate_limited');
  if (status === 401 || status === 407) return blocked(answer, 'auth_required');
  if (status === 403) {
    return seen.habit === 'uniform_403'
      ? { kind: 'missing', answer, note: 'uniform_403' }
      : blocked(answer, 'forbidden');
  }
  if (status >= 500) return blocked(answer, 'server_error');
  if (status >= 400) return { kind: 'refused', answer };
  if (status >= 300) return { kind: 'redirect', answer, location: header(answer, 'location') ?? '' };
  return readBody(answer, seen);
}

function blocked(answer: Answer, reason: BlockReason): Extract<Reading, { kind: 'blocked' }> {
  const retryAfterSec = retryAfter(answer);
  return {
    kind: 'blocked',
    exchange: answer,
    reason,
    statusCode: answer.status,
    ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
  };
}

function readBody(answer: Answer, seen: HostHabits): Reading {
  const habitual = seen.isHabitual(answer);
  const kind = sniff(answer.body);
  // A wildcard redirect (to a login or password page) publishes nothing, whatever page it ends on.
  if (habitual && answer.redirects.length > 0) return { kind: 'missing', answer, note: 'redirects_all' };
  if (kind === 'html') return { kind: 'html', answer, habitual };
  if (habitual) return { kind: 'missing', answer, note: 'catch_all' };
  if (kind === 'empty') return { kind: 'empty', answer };
  if (kind === 'text') return { kind: 'text', answer };
  const json = readJson(answer.body);
  if (json.ok) return { kind: 'json', answer, value: json.value };
  // Cut JSON decides nothing: we saw too little, the host published enough.
  if (answer.truncated) return { kind: 'blocked', exchange: answer, reason: 'too_large', statusCode: answer.status };
  return { kind: 'broken_json', answer, fault: json.reason };
}

/** `Retry-After` in seconds; the HTTP-date form counts from the time of the answer (RFC 9110 section 10.2.3). */
function retryAfter(answer: Answer): number | undefined {
  const value = header(answer, 'retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.round((at - Date.parse(answer.observedAt)) / 1000));
}
