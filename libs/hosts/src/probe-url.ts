import { parseUrl } from '@app/detectors';
import { HostName } from './host-name';
import { HOST_FAULTS, hostFault, unparsableFault, type HostFault } from './host-rules';

/** Longest URL accepted, in characters, as sent (behaviour 1.3) and as it is requested: it travels in payment headers. */
const MAX_URL = 2_048;

export type ProbeUrlFault = HostFault | 'url_too_long' | 'not_https' | 'userinfo' | 'port';

export interface ProbeUrl {
  /** What to request: normalised, without fragment and trailing dot of the host, a leading `www.` kept. */
  readonly href: string;
  /** The host whose budgets and history the request counts against. */
  readonly host: HostName;
}

export type ProbeUrlReading =
  | { readonly ok: true; readonly url: ProbeUrl }
  /** `sentence` is fit for an error body and names the field `url`. */
  | { readonly ok: false; readonly reason: ProbeUrlFault; readonly sentence: string };

/** The host's own faults are worded once, in `HOST_FAULTS`; these come first. */
const SENTENCES: Partial<Record<ProbeUrlFault, string>> = {
  empty: 'url must not be empty',
  url_too_long: `url must have at most ${MAX_URL} characters after percent-encoding`,
  forbidden_character: 'url must not contain control characters, spaces or backslashes',
  not_https: 'url must be absolute and start with https://',
  userinfo: 'url must not contain a user name or password',
  port: 'url must use port 443',
};

// The WHATWG parser drops tabs and line breaks and turns backslashes into slashes; other parsers do not.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0020\u007F-\u009F\\]|%00/;

/**
 * Reads the `url` argument of an endpoint health check (behaviour 1.3): absolute https, port 443 or none, no userinfo,
 * the host rules of `domain`. Never throws.
 */
export function parseProbeUrl(raw: string): ProbeUrlReading {
  const text = raw.trim();
  if (text === '') return unreadable('empty');
  if (raw.length > MAX_URL) return unreadable('url_too_long');
  if (FORBIDDEN.test(raw)) return unreadable('forbidden_character');
  // Exactly two slashes and something behind them: the parser would accept one, three or a dozen.
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
