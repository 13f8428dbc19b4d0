import { isBehindAnswer, parseUrl, type Exchange, type FailureReason } from '@app/detectors';
import type { HostName } from '@app/hosts';

/** Behaviour 3.2 `reachable`: whether any exchange got an HTTP answer, of any status and even if it was unreadable. */
export function reachableFrom(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(gotAnswer);
}

/** Failures that may also be our fault. */
const MAYBE_OUR_FAULT: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'budget_spent',
  'dns_timeout',
  'address_refused',
]);

/** The result of a probe for availability (behaviour 14.3). */
export type Answered =
  { readonly outcome: 'up' } | { readonly outcome: 'down' | 'unknown'; readonly reason: FailureReason };

/**
 * The outcome of a probe for its day, with the reason of the first failed request. If the certificate was rejected, an
 * answer over plain HTTP does not count: https is meant to work there, and is down.
 */
export function answeredIn(exchanges: readonly Exchange[]): Answered {
  const refused = exchanges.some((exchange) => exchange.kind === 'failure' && exchange.certificate !== undefined);
  const counted = refused ? exchanges.filter(({ url }) => url.startsWith('https:')) : exchanges;
  if (reachableFrom(counted)) return { outcome: 'up' };
  const theirs = exchanges.find((exchange) => exchange.kind === 'failure' && !MAYBE_OUR_FAULT.has(exchange.reason));
  if (theirs?.kind === 'failure') return { outcome: 'down', reason: theirs.reason };
  const first = exchanges[0];
  return { outcome: 'unknown', reason: first?.kind === 'failure' ? first.reason : 'budget_spent' };
}

/** Behaviour 3.2 `origin`: https, unless the host only answered plain HTTP. */
export function originFrom(host: HostName, exchanges: readonly Exchange[]): string {
  const answered = exchanges.filter(gotAnswer).map((exchange) => parseUrl(exchange.url));
  const over = (protocol: string): boolean =>
    answered.some((url) => url?.protocol === protocol && url.hostname === host.ascii);
  return over('http:') && !over('https:') ? `http://${host.ascii}` : host.origin;
}

function gotAnswer(exchange: Exchange): boolean {
  return exchange.kind === 'answer' || exchange.redirects.length > 0 || isBehindAnswer(exchange.reason);
}
