import { mayShowKey, type Answer, type Exchange } from '@app/detectors';

/** Replaces redacted text. A hash would reveal a short secret, so there is none. */
const WITHHELD = '[withheld]';

/** Response headers with credentials: sessions, tokens, and challenges. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authentication-info',
  'authorization',
  'cookie',
  'mcp-session-id',
  'proxy-authentication-info',
  'proxy-authorization',
  'set-cookie2',
  'x-access-token',
  'x-amz-security-token',
  'x-api-key',
  'x-auth-token',
  'x-csrf-token',
  'x-session-id',
  'x-session-token',
  'x-xsrf-token',
]);

/** Response headers in which hosts and proxies may repeat the address of the prober. */
const ADDRESSES: ReadonlySet<string> = new Set([
  'cf-connecting-ip',
  'client-ip',
  'fastly-client-ip',
  'forwarded',
  'true-client-ip',
  'x-client-ip',
  'x-forwarded-for',
  'x-original-forwarded-for',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
]);

/** The name of a cookie in `set-cookie`, which identifies bot walls. */
const COOKIE_NAME = /^\s*([\w.-]{1,64})=/;
/** User name and password in a URL, up to the last `@` before its path. */
const USER_INFO = /(:\/\/)[^/\s?#"'<>]*@/g;

/** Removes credentials and the addresses of the prober from an exchange, by a closed list (behaviour 12.13). */
export function redacted(exchange: Exchange): Exchange {
  const redirects = exchange.redirects.map((step) => ({ ...step, location: withoutUser(step.location) }));
  if (exchange.kind === 'failure') return { ...exchange, redirects };
  return { ...exchange, redirects, headers: redactedHeaders(exchange.headers) };
}

function redactedHeaders(headers: Answer['headers']): Answer['headers'] {
  const leaks = mayShowKey(headers.map(([, value]) => value).join('\n'));
  return headers.map(([name, value]) => [name, redactedValue(name, value, leaks)] as const);
}

function redactedValue(name: string, value: string, leaks: boolean): string {
  if (name === 'set-cookie') {
    const cookie = COOKIE_NAME.exec(value)?.[1];
    return cookie === undefined ? WITHHELD : `${cookie}=${WITHHELD}`;
  }
  if (CREDENTIALS.has(name) || ADDRESSES.has(name) || (leaks && mayShowKey(value))) return WITHHELD;
  return withoutUser(value);
}

function withoutUser(text: string): string {
  return text.includes('@') ? text.replace(USER_INFO, `$1${WITHHELD}@`) : text;
}

/** Whether a body may contain a private key, in plain text or escaped in JSON. */
export function mayLeakKey(body: string): boolean {
  return mayShowKey(body) || (body.includes('\\') && mayShowKey(unescaped(body)));
}

/** Removes JSON escapes, even repeated ones. The result is approximate and takes linear time. */
function unescaped(body: string): string {
  return body
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrt]/g, ' ')
    .replaceAll('\\', '');
}
