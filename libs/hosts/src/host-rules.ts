import { SPECIAL_USE } from '@app/detectors';
import { parse } from 'tldts';

/** The predicate of each fault, to follow a subject such as `domain`. Sentences never quote the input. */
export const HOST_FAULTS = {
  empty: 'must not be empty',
  too_long: 'must have at most 253 characters, and at most 63 in each label',
  forbidden_character: 'must not contain control characters, backslashes, "@", "#", "%00" or ".."',
  scheme: 'must be a host name or an http(s) address',
  malformed: 'must be a host name of letters, digits and hyphens, such as example.com',
  single_label: 'must have at least two labels, such as example.com',
  ip_literal: 'must be a host name, not an IP address',
  special_use: 'is not a public host name',
  public_suffix: 'must be a name below a public suffix, not a public suffix itself',
} as const;

/** Why a text is not the name of a public host. This list is closed. */
export type HostFault = keyof typeof HOST_FAULTS;

// URL parsers silently drop tabs and line breaks, disagree about backslashes and hide a host behind "@" or "#". Such a
// text is rejected before parsing.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u001F\u007F-\u009F\\@#]|%00|\.\./;

// Stricter than the WHATWG parser, which accepts "a..b", "-a.com" and "a_b.com".
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * Whether a text contains characters that no host name or URL may contain; `#` and `..` are allowed in the path of a
 * URL.
 */
export function hasForbiddenCharacter(raw: string): boolean {
  return FORBIDDEN.test(raw);
}

/**
 * Checks a host as the WHATWG parser returns it (lower case, A-labels, IP literals in canonical form), without its
 * trailing dot (behaviour 1.1, row `domain`).
 */
export function hostFault(host: string): HostFault | undefined {
  if (host === '') return 'empty';
  if (host.startsWith('[') || IPV4.test(host)) return 'ip_literal';
  const labels = host.split('.');
  if (host.length > 253 || labels.some((label) => label.length > 63)) return 'too_long';
  if (!labels.every((label) => LABEL.test(label))) return 'malformed';
  if (SPECIAL_USE.has(labels.at(-1) ?? '')) return 'special_use';
  if (labels.length < 2) return 'single_label';
  return isPublicSuffix(host) ? 'public_suffix' : undefined;
}

/**
 * Whether the name itself cannot be registered: `co.uk`, `gov.uk`. Names in the list's private section (`github.io`,
 * `itch.io`) are ordinary sites of their operators and are accepted.
 */
export function isPublicSuffix(host: string): boolean {
  return parse(host, { extractHostname: false }).publicSuffix === host;
}

/**
 * The registrable domain. Redirects are followed and documents are accepted within it. Tenants of the list's private
 * section are separate sites (`a.github.io` and `b.github.io`).
 */
export function siteOf(host: string): string {
  return parse(host, { extractHostname: false, allowPrivateDomains: true }).domain ?? host;
}

/** Why the WHATWG parser rejected `https://<authority>`, as far as the text tells. */
export function unparsableFault(authority: string): HostFault {
  const name = authority.replace(/:\d*$/, '').replace(/\.$/, '');
  // A double colon, or a numeric last label: an IP literal, even if an invalid one.
  if (name.startsWith('[') || authority.includes('::') || /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i.test(name))
    return 'ip_literal';
  return 'malformed';
}
