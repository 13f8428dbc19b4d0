import { isIP } from 'node:net';

/** The actual target for a listed host and port. */
interface ConnectToTarget {
  readonly address: string;
  readonly port: number;
  /** It speaks http where the host speaks https. */
  readonly plain?: true;
}

/** Test hosts by `host:port`. The address policy applies to all others. */
export type ConnectTo = ReadonlyMap<string, ConnectToTarget>;

const ENTRY = /^([a-z0-9.-]{1,253}):(\d{1,5})=(http:\/\/)?(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d{1,5})$/i;

/**
 * Parses `PROBE_CONNECT_TO` (behaviour 13.2): `host:port=address:port`, comma-separated, with brackets around IPv6
 * addresses. Only the address of the connection changes; the Host header and the TLS server name stay those of the
 * host. With `http://` before the address the connection has no TLS, whatever the URL says: a preview is judged as the
 * host it will be.
 * @throws Error naming the entry by its position when one cannot be read
 */
export function parseConnectTo(text: string): ConnectTo {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return new Map(entries.map((entry, index) => readEntry(entry, index + 1)));
}

function readEntry(entry: string, position: number): readonly [string, ConnectToTarget] {
  const [, host, from, plain, v6, v4, to] = ENTRY.exec(entry) ?? [];
  const address = v6 ?? v4 ?? '';
  if (host === undefined || isIP(address) === 0 || !isPort(from) || !isPort(to)) {
    throw new Error(`connect-to entry ${position} must have the form host:port=address:port`);
  }
  return [connectToKey(host, Number(from)), { address, port: Number(to), ...(plain && { plain: true }) }];
}

function isPort(text: string | undefined): boolean {
  return text !== undefined && Number(text) >= 1 && Number(text) <= 65_535;
}

export function connectToKey(host: string, port: number): string {
  return `${host.toLowerCase()}:${port}`;
}
