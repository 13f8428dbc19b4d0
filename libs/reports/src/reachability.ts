import { parseUrl, type Exchange, type FailureReason } from '@app/detectors';
import type { HostName } from './host-name';

/** Failures that came after the host had begun an HTTP answer. */
const AFTER_AN_ANSWER: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'headers_too_large',
  'too_large',
  'bad_encoding',
  'redirect_refused',
  'redirect_loop',
]);

/** Spec 2.1 `reachable`: whether any exchange got an HTTP answer, of any status and also one we could not take in. */
export function reachableFrom(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(gotAnswer);
}

/** Spec 2.1 `origin`: https, unless the host answered plain http and nothing else (contract 3). */
export function originFrom(host: HostName, exchanges: readonly Exchange[]): string {
  const answered = exchanges.filter(gotAnswer).map((exchange) => parseUrl(exchange.url));
  const over = (protocol: string): boolean =>
    answered.some((url) => url?.protocol === protocol && url.hostname === host.ascii);
  return over('http:') && !over('https:') ? `http://${host.ascii}` : host.origin;
}

function gotAnswer(exchange: Exchange): boolean {
  return exchange.kind === 'answer' || exchange.redirects.length > 0 || AFTER_AN_ANSWER.has(exchange.reason);
}
