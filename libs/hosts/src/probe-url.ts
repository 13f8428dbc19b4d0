import { parseUrl } from '@app/detectors';
import { HostName } from './host-name';
import { HOST_FAULTS, hostFault, unparsableFault, type HostFault } from './host-rules';

/**
 * The longest accepted URL in characters, both as sent (behaviour 1.3) and as requested, because it is sent in payment
 * headers.
 */
const MAX_URL = 2_048;

export type ProbeUrlFault = HostFault | 'url_too_long' | 'not_https' | 'userinfo' | 'port';

export interface ProbeUrl {
  /** The URL to request: normalized, without fragment and trailing dot of the host, but with a leading `www.`. */
  readonly href: string;
  /** The host whose budgets and history the request counts toward. */
  readonly host: HostName;
}

export type ProbeUrlReading =
  | { readonly ok: true; readonly url: ProbeUrl }
  /** `sentence` is suitable for an error body and names the field `url`. */
  | { readonly ok: false; readonly reason: ProbeUrlFault; readonly sentence: string };

/** Faults of the host itself have their sentences in `HOST_FAULTS`; these come first. */
const SENTENCES: Partial<Record<ProbeUrlFault, string>> = {
  empty: 'url must not be empty',
  url_too_long: `url must have at most ${MAX_URL} characters after percent-encoding`,
  forbidden_character: 'url must not contain control characters, spaces or backslashes',
  not_https: 'url must be absolute and start with https://',
  userinfo: 'url must not contain a user name or password',
  port: 'url must use port 443',
};

// The WHATWG parser drops tabs and line breaks and turns backslashes into slashes, but other parsers do not.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0020\u007F-\u009F\\]|%00/;

/**
 * Parses the `url` argument of an endpoint check (behaviour 1.3): absolute https, port 443 or none, no user info, and a
 * host that is valid as `domain`. Never throws.
 */
export function parseProbeUrl(raw: string): ProbeUrlReading {
  const text = raw.trim();
  if (text === '') return unreadable('empty');
  if (raw.length > MAX_URL) return unreadable('url_too_long');
  if (FORBIDDEN.test(raw)) return unreadable('forbidden_character');
  // Requires exactly two slashes followed by something: the parser would accept one, three or more.
  const authority = /^https:\/\/([^/?#]+)/i.exec(raw)?.[1];
  if (authority === undefined) return unreadable(/^https:\/\//i.test(raw) ? 'malformed' : 'not_https');
  if (authority.includes('@')) return unreadable('userinfo');
  const url = parseUrl(raw);
  if (!url) return unreadable(unparsable(authority));
  if (url.port !== '') return unreadable('port');
  url.hash = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  if (url.href.length > MAX_URL) return unreadable('url_too_long');
  const fault = hostFault(url.hostname);
  if (fault) return unreadable(fault);
  const name = HostName.parse(url.hostname);
  return name.ok ? { ok: true, url: { href: url.href, host: name.host } } : unreadable(name.reason);
}

function unparsable(authority: string): ProbeUrlFault {
  const port = /:(\d+)$/.exec(authority)?.[1];
  return port !== undefined && Number(port) > 65_535 ? 'port' : unparsableFault(authority);
}

function unreadable(reason: ProbeUrlFault): ProbeUrlReading {
  return { ok: false, reason, sentence: SENTENCES[reason] ?? `the host of url ${HOST_FAULTS[reason as HostFault]}` };
}
