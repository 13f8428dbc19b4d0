import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Whether a request names two hosts, which is no request (RFC 9112 section 3.2); Node.js hides all but the first. */
export function repeatsHost({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1;
}

/**
 * Leaves nothing but addresses in `X-Forwarded-For`. Some proxies add the port of each connection, and with each port the
 * limits of a caller would begin again. What stands before an entry that is no address is nothing that can be relied on.
 */
export function keepAddresses(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded !== 'string') return;
  const entries = forwarded.split(',').map(withoutPort);
  const known = entries.slice(entries.findLastIndex((entry) => isIP(entry) === 0) + 1);
  headers['x-forwarded-for'] = known.join(', ');
}

/** `192.0.2.1:80` and `[2001:db8::1]:80` name the same callers as without a port. */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^\s*(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})\s*$/i.exec(entry) ?? [];
  return v6 ?? v4 ?? entry.trim();
}
