import { parseUrl, SPECIAL_USE } from '../formats/parse-url';
import { findingsWhere, type Finding } from '../judgement/judgement';

/** Checks URLs that documents declare for agents. */

/** Signs of an unfilled template in a declared URL. */
const PLACEHOLDER =
  /\{\{|\}\}|\$\{|<[A-Za-z_-]+>|your-?domain|(?:^|\/\/)domain\.com(?:[/:]|$)|(?:^|[^a-z-])your-[a-z-]+\.com/i;

/** Host names of temporary development tunnels. */
const TUNNEL =
  /(?:^|\.)(?:ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|loca\.lt|localtunnel\.me|localhost\.run|lhr\.life|serveo\.net|serveousercontent\.com|pinggy\.(?:io|link)|devtunnels\.ms|app\.github\.dev|bore\.pub|zrok\.io|tunnelmole\.net|localto\.net)$/;

/** Example names (RFC 2606). */
const EXAMPLE = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid)$/;

/** The longest URL that common clients and servers accept. */
export const MAX_URL = 2_048;

/** Faults of a declared URL, as suffixes of finding ids; an absolute https URL on a public name has none. */
type UrlFault = 'relative' | 'not_https' | 'placeholder' | 'tunnel' | 'localhost' | 'userinfo';

export function urlFaults(url: string): readonly UrlFault[] {
  const parsed = url.length > MAX_URL ? undefined : parseUrl(url);
  const relative = !parsed && /^[/.]/.test(url) && !url.startsWith('//');
  const faults: readonly (readonly [UrlFault, boolean | undefined])[] = [
    ['relative', relative],
    ['not_https', !relative && parsed?.protocol !== 'https:'],
    ['localhost', parsed && isLocal(parsed.hostname)],
    ['userinfo', parsed && parsed.username + parsed.password !== ''],
    ['tunnel', parsed && TUNNEL.test(parsed.hostname)],
    ['placeholder', PLACEHOLDER.test(url.slice(0, MAX_URL))],
  ];
  return faults.flatMap(([fault, holds]) => (holds ? [fault] : []));
}

/** Why an outside client cannot call a declared URL; undefined if nothing prevents it. */
export function unusable(url: string): 'placeholder_url' | 'local_url' | 'not_a_url' | undefined {
  const faults = urlFaults(url);
  if (faults.includes('placeholder')) return 'placeholder_url';
  const protocol = parseUrl(url)?.protocol;
  if (protocol !== 'https:' && protocol !== 'http:') return 'not_a_url';
  return faults.includes('localhost') ? 'local_url' : undefined;
}

/** Faults of a declared absolute URL that are visible without calling it; `at` is its location in the document. */
export function declaredUrlFindings(url: string, at: string): readonly Finding[] {
  const fault = unusable(url);
  if (fault) return [{ id: fault, at }];
  const faults = urlFaults(url);
  return findingsWhere([
    [faults.includes('not_https'), 'endpoint_not_https', at],
    [faults.includes('tunnel'), 'tunnel_url', at],
  ]);
}

/** Why clients cannot rely on a URL on another site; undefined if it may be a real server. */
export function foreignUrlFault(url: string): 'placeholder_url' | 'local_url' | 'tunnel_url' | 'ip_url' | undefined {
  const faults = urlFaults(url);
  const hostname = parseUrl(url)?.hostname.replace(/\.$/, '') ?? '';
  if (faults.includes('placeholder') || EXAMPLE.test(hostname)) return 'placeholder_url';
  if (faults.includes('localhost')) return 'local_url';
  if (faults.includes('tunnel')) return 'tunnel_url';
  return /^\[|^\d+(?:\.\d+){3}$/.test(hostname) ? 'ip_url' : undefined;
}

/** A name without a dot, such as `localhost` or `backend`, only exists on one machine or network. */
function isLocal(hostname: string): boolean {
  const labels = hostname.replace(/\.$/, '').split('.');
  return /^[a-z\d-]+$/i.test(hostname) || SPECIAL_USE.has(labels.at(-1) ?? '') || isPrivateLiteral(hostname);
}

/** IPv4 and IPv6 literals of a local machine or network; the prober refuses them anyway. */
function isPrivateLiteral(hostname: string): boolean {
  return /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0$)|^\[(?:::1?|f[cde][0-9a-f]*:.*)\]$/.test(
    hostname,
  );
}
