import type { Answer, Exchange } from './exchange';
import { onceEach } from './once-each';
import { parseUrl } from './parse-url';
import { sniff } from './sniff';

/**
 * What the host says to a path that cannot exist. Without it, a single-page application that answers 200 to
 * everything "publishes" every protocol, and a store that answers 403 to every missing key "refuses" everything.
 */
export type HostHabit =
  | 'honest' //          404 or 410
  | 'catch_all' //       200 to anything
  | 'redirects_all' //   one redirect target for anything
  | 'uniform_403' //     403 for missing keys while the home page answers (object storage habit)
  | 'walled' //          bot wall, 401, 402, 429 or 5xx even for nonsense
  | 'unknown'; //        the control requests did not get an answer

/** Paths of the control pair; `nonce` is 32 hex digits drawn for each run. */
export function controlPaths(nonce: string): readonly [json: string, text: string] {
  return [`/.well-known/${nonce}.json`, `/${nonce}.txt`];
}

const CONTROL_PATH = /\/(?:\.well-known\/)?[0-9a-f]{32}\.(?:json|txt)$/;

/** Whether an exchange is one of the control pair, told by its path. */
export function isControl(exchange: Exchange): boolean {
  return CONTROL_PATH.test(pathOf(exchange.url));
}

/** Whether `answer` is the host's answer to nonsense: same status, same kind of body, same text but for digits and the path. */
export function looksLike(answer: Answer, control: Answer): boolean {
  if (answer.status !== control.status || sniff(answer.body) !== sniff(control.body)) return false;
  if (answer.sha256 === control.sha256) return true;
  const [a, b] = [essence(answer), essence(control)];
  if (a === b) return true;
  const title = titleOf(a);
  return (
    title !== undefined && title === titleOf(b) && Math.abs(a.length - b.length) <= 0.1 * Math.max(a.length, b.length)
  );
}

/** Where a redirected answer ended, without the query: wildcard redirects are told by their common target. */
export function redirectTarget(answer: Answer): string | undefined {
  const last = answer.redirects.at(-1)?.location;
  return last?.split(/[?#]/, 1)[0];
}

function pathOf(url: string): string {
  return parseUrl(url)?.pathname ?? url;
}

const essence = onceEach(essenceOf);

/** Body text without what differs from one request to the next: the path itself, long tokens, digits, white space. */
function essenceOf(answer: Answer): string {
  const path = pathOf(answer.url);
  return answer.body
    .slice(0, 65_536)
    .split(path)
    .join('')
    .split(encodeURIComponent(path))
    .join('')
    .replace(/[A-Za-z0-9+/_=-]{24,}/g, '')
    .replace(/\d+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function titleOf(html: string): string | undefined {
  return /<title[^>]*>([^<]{1,200})<\/title>/i.exec(html)?.[1]?.trim();
}
