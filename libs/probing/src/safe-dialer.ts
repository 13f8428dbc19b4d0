import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket, type SecureContext } from 'node:tls';
import { Agent, type buildConnector } from 'undici';
import type { FailureReason } from '@app/detectors';
import { canonicalAddress, vetAddresses } from './address-policy';
import { connectToKey, type ConnectTo } from './connect-to';
import { shownCertificate, tlsFacts, withCertificate, type TlsFacts } from './certificate';
import { faultIn, ProbeFault } from './failure';
import type { ProbeLimits } from './limits';
import type { Resolver } from './resolver';

/** `HTTP/1.1 100`: the beginning of a head that tells whether another one follows. */
const STATUS_LINE = 12;
const [LF, CR, TWO] = [0x0a, 0x0d, 0x32];

/**
 * Lets a connection bear a `100 Continue` that nobody asked for. A client must (RFC 9110 section 15.2), and undici, which bears
 * every other interim answer, ends the connection: it is handed a 102 in its place.
 */
function tolerateContinue(socket: Socket): void {
  let start: string | undefined; // of the head that is being read; undefined behind the last head of an answer
  let lineIsEmpty = false;
  const scan = (chunk: Buffer): void => {
    for (let i = 0; i < chunk.length && start !== undefined; i += 1) {
      const byte = chunk[i] ?? 0;
      if (start.length < STATUS_LINE) {
        start += String.fromCharCode(byte);
        if (start.length < STATUS_LINE) continue;
        if (start.endsWith(' 100')) chunk[i] = TWO;
        if (!/ 1\d\d$/.test(start)) start = undefined;
      } else if (byte === LF && lineIsEmpty) start = '';
      else if (byte !== CR) lineIsEmpty = byte === LF;
    }
  };
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket) as (...args: unknown[]) => boolean];
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (Buffer.isBuffer(chunk)) scan(chunk);
    return chunk;
  };
  socket.write = (...args: unknown[]): boolean => {
    [start, lineIsEmpty] = ['', false]; // a request, and so the next bytes begin its answer
    return write(...args);
  };
}

/** Names that recently failed to resolve. Its errors are ignored. */
export interface NegativeCache {
  recall(host: string): Promise<FailureReason | undefined>;
  remember(host: string, reason: FailureReason): Promise<void>;
}

export interface DialerOptions {
  readonly resolver: Resolver;
  readonly negativeCache: NegativeCache | undefined;
  readonly connectTo: ConnectTo;
  /** Addresses of this service, in canonical form; never dialled. */
  readonly ownAddresses: ReadonlySet<string>;
  /** Names whose owners opted out; refused like a bad address. */
  readonly optedOut: (host: string) => boolean;
  readonly secureContext: SecureContext;
  /** Whether connections note the host's certificate: reading one takes milliseconds. */
  readonly certificates: boolean;
  readonly limits: ProbeLimits;
}

/** How one connection came about. Durations in milliseconds; null where the phase did not happen. */
export interface ConnectionFacts {
  readonly dnsMs: number;
  readonly connectMs: number;
  readonly tlsMs: number | null;
  readonly tls: TlsFacts | null;
}

interface Target {
  readonly addresses: readonly string[];
  readonly port: number;
  /** What resolving the name took when it was done, in milliseconds. */
  readonly dnsMs: number;
}

type Vetted = Pick<Target, 'addresses' | 'dnsMs'>;

/** How long one address may take before the next one of the set is tried. */
const NEXT_ADDRESS_MS = 1_000;

/**
 * Opens connections for one job, to vetted addresses only. A name is resolved once per job and the whole set refused
 * if one address is bad; sockets go to the addresses that were probed, so a second DNS answer has no say, and the
 * address really reached is compared once more. Connections are kept alive within the job and never outlive it.
 */
export class SafeDialer {
  readonly agent: Agent;
  /** Connections made so far, in order. */
  readonly connections: ConnectionFacts[] = [];
  private readonly vetted = new Map<string, Promise<Vetted>>();
  private readonly sockets = new Set<Socket>();
  /** What all connections brought so far. */
  private bytes = 0;
  private closed = false;

  constructor(private readonly options: DialerOptions) {
    const { limits } = options;
    this.agent = new Agent({
      connect: this.connector,
      connections: limits.concurrency,
      pipelining: 1,
      allowH2: false, // takes rapid reset, CONTINUATION and SETTINGS floods out of reach
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      bodyTimeout: 0, // counts from one chunk to the next, which a drip never exceeds; the exchange has a deadline
      keepAliveMaxTimeout: limits.hostMs,
    });
  }

  /** Ends every connection at once, also those being made; no socket is opened after this. */
  async close(): Promise<void> {
    this.closed = true;
    for (const socket of this.sockets) socket.destroy(new ProbeFault('budget_spent'));
    await this.agent.destroy();
  }

  /** The vetted addresses behind a URL, the very ones a connection for it goes to. @throws ProbeFault */
  async addressesOf(url: URL): Promise<readonly string[]> {
    return (await this.targetOf(url.hostname, portOf(url.protocol, url.port))).addresses;
  }

  private readonly connector: buildConnector.connector = (options, callback) => {
    const { hostname, protocol, port } = options;
    this.dial(hostname, portOf(protocol, port), protocol === 'https:').then(
      (socket) => {
        callback(null, socket);
      },
      (error: unknown) => {
        callback(faultIn(error) ?? (error as Error), null);
      },
    );
  };

  private async dial(host: string, port: number, secure: boolean): Promise<Socket> {
    const target = await this.targetOf(host, port);
    if (this.closed || this.bytes > this.options.limits.probeBytes) throw new ProbeFault('budget_spent');
    const resolved = performance.now();
    const socket = this.open(host, target, secure);
    const shown = secure ? shownCertificate(socket) : undefined;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    // An alert that comes after the handshake (TLS 1.3) does not end the socket by itself, and undici would only see its end.
    socket.on('error', (error) => socket.destroy(error));
    await reached(socket, 'connect', this.options.limits.connectMs);
    const { remoteAddress } = socket;
    // A peer that reset the connection at once has no address any more: that is its failure, and no policy of ours.
    if (remoteAddress === undefined || !target.addresses.includes(canonicalAddress(remoteAddress))) {
      socket.destroy();
      throw socket.errored ?? new ProbeFault(remoteAddress === undefined ? 'connection_reset' : 'address_refused');
    }
    const connected = performance.now();
    if (secure) {
      await reached(socket, 'secureConnect', this.options.limits.tlsMs).catch((error: unknown) => {
        throw withCertificate(error, shown?.());
      });
    }
    this.meter(socket);
    tolerateContinue(socket);
    this.connections.push({
      dnsMs: target.dnsMs,
      connectMs: connected - resolved,
      tlsMs: secure ? performance.now() - connected : null,
      tls: this.options.certificates && socket instanceof TLSSocket ? tlsFacts(socket) : null,
    });
    return socket;
  }

  /** Counts what a connection brings, and ends the one that brings too much. */
  private meter(socket: Socket): void {
    let counted = 0;
    socket.on('readable', () => {
      this.bytes += socket.bytesRead - counted;
      counted = socket.bytesRead;
      if (this.bytes > this.options.limits.probeBytes) socket.destroy(new ProbeFault('too_large'));
    });
  }

  private open(host: string, { addresses, port }: Target, secure: boolean): Socket {
    const route = {
      host,
      port,
      lookup: answering(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    };
    if (!secure) return connectTcp(route);
    const { secureContext } = this.options;
    return connectTls({
      ...route,
      servername: host,
      secureContext,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true, // said, because an environment variable of Node changes what is not said
    });
  }

  /** @throws ProbeFault for a name that does not resolve, and `address_refused` for anything that must not be dialled */
  private async targetOf(host: string, port: number): Promise<Target> {
    if (this.options.optedOut(host)) throw new ProbeFault('address_refused');
    const listed = this.options.connectTo.get(connectToKey(host, port));
    if (listed) return { addresses: [canonicalAddress(listed.address)], port: listed.port, dnsMs: 0 };
    // Node dials a literal without asking `lookup`, so literals are refused by name.
    if (isIP(host.replace(/^\[|\]$/g, '')) !== 0 || (port !== 443 && port !== 80))
      throw new ProbeFault('address_refused');
    let vetted = this.vetted.get(host);
    if (!vetted) {
      vetted = this.resolve(host);
      this.vetted.set(host, vetted);
    }
    return { ...(await vetted), port };
  }

  private async resolve(host: string): Promise<Vetted> {
    const started = performance.now();
    const { resolver, negativeCache, ownAddresses } = this.options;
    // A failed lookup in this cache does not fail the probe; the budgets fail it when the store is down.
    const unfound = await negativeCache?.recall(host).catch(() => undefined);
    if (unfound !== undefined) throw new ProbeFault(unfound);
    try {
      const addresses = vetAddresses(await resolver.resolve(host), ownAddresses);
      return { addresses, dnsMs: performance.now() - started };
    } catch (error) {
      const fault = faultIn(error);
      if (fault) await negativeCache?.remember(host, fault.reason).catch(() => undefined);
      throw error;
    }
  }
}

function portOf(protocol: string, port: string | undefined): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/** A `lookup` that knows one answer. */
function answering(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
}

/** Waits for an event of a socket that is being connected; whatever closes it first is the error. */
function reached(socket: Socket, event: 'connect' | 'secureConnect', limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new ProbeFault('connect_timeout')), limitMs);
    const closed = () => {
      clearTimeout(timer);
      reject(socket.errored ?? new ProbeFault('connection_reset'));
    };
    if (socket.destroyed) {
      closed();
      return;
    }
    socket.once('close', closed).once(event, () => {
      clearTimeout(timer);
      socket.off('close', closed);
      resolve();
    });
  });
}
