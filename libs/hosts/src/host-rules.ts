import { SPECIAL_USE } from '@app/detectors';
import { parse } from 'tldts';

/** The predicate of each fault, to follow a subject such as `domain`. Messages never quote the input. */
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

/** Why a text is not the name of a public host. Closed. */
export type HostFault = keyof typeof HOST_FAULTS;

// URL parsers drop tabs and line breaks silently, disagree about backslashes and hide a host behind "@" or "#":
// such a text is refused before any parser sees it.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u001F\u007F-\u009F\\@#]|%00|\.\./;

// Stricter than the WHATWG parser, which accepts "a..b", "-a.com" and "a_b.com".
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** Whether a raw text holds what no host name or address may hold; `#` and `..` are allowed in the path of a URL. */
export function hasForbiddenCharacter(raw: string): boolean {
  return FORBIDDEN.test(raw);
}

/**
 * Judges a host as the WHATWG parser gives it (lower case, A-labels, IP literals in canonical form), without its
 * trailing dot. Behaviour 1.1, `domain` row.
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
 * Whether the name itself cannot be registered: `co.uk`, `gov.uk`. Names of the list's private section (`github.io`,
 * `itch.io`) are ordinary sites of their operator and are not refused.
 */
export function isPublicSuffix(host: string): boolean {
  return parse(host, { extractHostname: false }).publicSuffix === host;
}

/**
 * The registrable domain: the border within which redirects are followed and documents credited. Tenants of the
 * list's private section are separate sites (`a.github.io` and `b.github.io`).
 */
export function siteOf(host: string): string {
  return parse(host, { extractHostname: false, allowPrivateDomains: true }).domain ?? host;
}

/** Why the WHATWG parser refused `https://<authority>`, as far as it can be told from the text. */
export function unparsableFault(authority: string): HostFault {
  const name = authority.replace(/:\d*$/, '').replace(/\.$/, '');
  // A double colon, or a last label that is a number: an IP literal, though perhaps a broken one.
  if (name.startsWith('[') || authority.includes('::') || /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i.test(name))
    return 'ip_literal';
  return 'malformed';
}
