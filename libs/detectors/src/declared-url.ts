import { parseUrl } from './parse-url';

/** Judging URLs that documents declare for agents to call. */

/** Marks of a template, a tunnel or a developer's machine left in a published document. */
const PLACEHOLDER =
  /\{\{|\}\}|\$\{|<[A-Za-z_-]+>|your-?domain|(?:^|\/\/)domain\.com(?:[/:]|$)|\.ngrok(?:-free)?\.(?:io|app|dev)(?:[/:]|$)/i;

/** Longest URL that common clients and servers take. */
export const MAX_URL = 2_048;

/** Faults of a declared URL, as suffixes for finding ids; empty for an absolute https URL on a public name. */
export type UrlFault = 'relative' | 'not_https' | 'placeholder' | 'localhost' | 'userinfo';

export function urlFaults(url: string): readonly UrlFault[] {
  const placeholder: readonly UrlFault[] = PLACEHOLDER.test(url.slice(0, MAX_URL)) ? ['placeholder'] : [];
  const parsed = url.length > MAX_URL ? undefined : parseUrl(url);
  if (!parsed) {
    const relative: UrlFault = /^[/.]/.test(url) && !url.startsWith('//') ? 'relative' : 'not_https';
    return [relative, ...placeholder];
  }
  return [
    ...(parsed.protocol === 'https:' ? [] : (['not_https'] as const)),
    ...(isLocal(parsed.hostname) ? (['localhost'] as const) : []),
    ...(parsed.username === '' && parsed.password === '' ? [] : (['userinfo'] as const)),
    ...placeholder,
  ];
}

function isLocal(hostname: string): boolean {
  return (
    hostname === 'localhost' || /\.(?:localhost|local|internal|test)$/.test(hostname) || isPrivateLiteral(hostname)
  );
}

/** IPv4 and IPv6 literals of one's own machine or network; the guarded fetch refuses them in any case. */
function isPrivateLiteral(hostname: string): boolean {
  return /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0$)|^\[(?:::1?|f[cde][0-9a-f]*:.*)\]$/.test(
    hostname,
  );
}
