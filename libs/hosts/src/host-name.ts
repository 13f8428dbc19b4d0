import { parseUrl } from '@app/detectors';
import { HOST_FAULTS, hasForbiddenCharacter, hostFault, isPublicSuffix, siteOf, unparsableFault } from './host-rules';
import type { HostFault } from './host-rules';

/** Longest text worth parsing: an address with a path is accepted, a megabyte is not. */
const MAX_INPUT = 2_048;

export type HostNameReading =
  | { readonly ok: true; readonly host: HostName }
  /** `sentence` is fit for an error body and names the field `domain`. */
  | { readonly ok: false; readonly reason: HostFault; readonly sentence: string };

/**
 * The name of a public host, the key of everything known about it: lower case, A-labels (UTS 46), without scheme,
 * port, path, trailing dot and leading `www.`. Only `parse` makes one, so a HostName is always vetted (behaviour 1.1).
 */
export class HostName {
  declare private readonly vetted: true;

  private constructor(
    /** A-labels, for example `xn--bcher-kva.example.com`. */
    readonly ascii: string,
    /** Registrable domain; the name itself when it has none. */
    readonly site: string,
  ) {
    Object.freeze(this);
  }

  /** The origin that is probed first; a report names `http://` only when nothing but plain http answered. */
  get origin(): string {
    return `https://${this.ascii}`;
  }

  /** Reads the text of a domain from outside. Never throws; parsing the result again gives the same name. */
  static parse(raw: string): HostNameReading {
    const parsed = hostOf(raw);
    if (!parsed.ok) return unreadable(parsed.reason);
    const ascii = withoutWww(parsed.host);
    const fault = hostFault(ascii);
    return fault ? unreadable(fault) : { ok: true, host: new HostName(ascii, siteOf(ascii)) };
  }

  toString(): string {
    return this.ascii;
  }

  toJSON(): string {
    return this.ascii;
  }
}

/**
 * The name that budgets, places and rests of a host are counted under, for the host of any URL: that of {@link HostName},
 * so that `www.` has none of its own, and for what is no public host the name as it is.
 */
export function countedName(hostname: string): string {
  const reading = HostName.parse(hostname);
  return reading.ok ? reading.host.ascii : hostname;
}

type ParsedHost = { readonly ok: true; readonly host: string } | { readonly ok: false; readonly reason: HostFault };

function hostOf(raw: string): ParsedHost {
  if (raw.length > MAX_INPUT) return { ok: false, reason: 'too_long' };
  if (hasForbiddenCharacter(raw)) return { ok: false, reason: 'forbidden_character' };
  const [, scheme, rest = ''] = /^(?:([^/?]*):\/\/)?(.*)$/s.exec(raw.trim()) ?? [];
  if (scheme !== undefined && !/^https?$/i.test(scheme)) return { ok: false, reason: 'scheme' };
  // The authority is cut out here: the WHATWG parser would skip any number of extra slashes to find one.
  const authority = rest.split(/[/?]/, 1)[0] ?? '';
  if (authority === '') return { ok: false, reason: 'empty' };
  const url = parseUrl(`https://${authority}`);
  if (!url) return { ok: false, reason: unparsableFault(authority) };
  return { ok: true, host: url.hostname.replace(/\.$/, '') };
}

/**
 * Strips every leading `www.`, or the answer for `www.www.example.com` would be stored under a name that is itself
 * never read. It stays where it is the registrable label, as in `www.gov.uk`.
 */
function withoutWww(host: string): string {
  let name = host;
  while (name.startsWith('www.') && !isPublicSuffix(name.slice(4))) name = name.slice(4);
  return name;
}

function unreadable(reason: HostFault): HostNameReading {
  return { ok: false, reason, sentence: `domain ${HOST_FAULTS[reason]}` };
}
