import { parseUrl } from '@app/detectors';
import { HOST_FAULTS, hasForbiddenCharacter, hostFault, isPublicSuffix, siteOf, unparsableFault } from './host-rules';
import type { HostFault } from './host-rules';

/** The longest text that is parsed: enough for a URL with a path. */
const MAX_INPUT = 2_048;

export type HostNameReading =
  | { readonly ok: true; readonly host: HostName }
  /** `sentence` is suitable for an error body and names the field `domain`. */
  | { readonly ok: false; readonly reason: HostFault; readonly sentence: string };

/**
 * The name of a public host, which is the key of all data about it: lower case, A-labels (UTS 46), without scheme,
 * port, path, trailing dot and leading `www.`. Only `parse` creates one, so every HostName is checked (behaviour 1.1).
 */
export class HostName {
  declare private readonly vetted: true;

  private constructor(
    /** A-labels, for example `xn--bcher-kva.example.com`. */
    readonly ascii: string,
    /** Registrable domain; the name itself if it has none. */
    readonly site: string,
  ) {
    Object.freeze(this);
  }

  /** The origin that is probed first. A report only has `http://` if nothing but plain HTTP answered. */
  get origin(): string {
    return `https://${this.ascii}`;
  }

  /** Parses a domain from an untrusted text. Never throws; parsing the result again gives the same name. */
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
 * The name under which budgets, slots and back-offs of a host are counted, for the host of any URL: the name of its
 * {@link HostName}, so that `www.` has no budget of its own, or the host itself if it is not a public host.
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
  // We extract the authority ourselves, because the WHATWG parser would skip any number of extra slashes before it.
  const authority = rest.split(/[/?]/, 1)[0] ?? '';
  if (authority === '') return { ok: false, reason: 'empty' };
  const url = parseUrl(`https://${authority}`);
  if (!url) return { ok: false, reason: unparsableFault(authority) };
  return { ok: true, host: url.hostname.replace(/\.$/, '') };
}

/**
 * Removes every leading `www.`, because otherwise data about `www.www.example.com` would be stored under a name that is
 * never looked up. It stays if it is the registrable label, as in `www.gov.uk`.
 */
function withoutWww(host: string): string {
  let name = host;
  while (name.startsWith('www.') && !isPublicSuffix(name.slice(4))) name = name.slice(4);
  return name;
}

function unreadable(reason: HostFault): HostNameReading {
  return { ok: false, reason, sentence: `domain ${HOST_FAULTS[reason]}` };
}
