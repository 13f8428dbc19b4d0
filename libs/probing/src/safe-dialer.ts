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

/** `HTTP/1.1 100`: as much of a head as shows whether another one follows. */
const STATUS_LINE = 12;
const [LF, CR, TWO] = [0x0a, 0x0d, 0x32];

/**
 * Makes a connection tolerate an unrequested `100 Continue`. Clients must accept it (RFC 9110 section 15.2), but undici
 * closes the connection, although it accepts all other interim responses. We therefore replace it with a 102.
 */
function tolerateContinue(socket: Socket): void {
  let start: string | undefined; // of the head being read; undefined after the final head of an answer
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
    [start, lineIsEmpty] = ['', false]; // a request was sent, so the next bytes start its answer
    return write(...args);
  };
}

/** Names that recently failed to resolve. Errors of the store are ignored. */
export interface NegativeCache {
  recall(host: string): Promise<FailureReason | undefined>;
  remember(host: string, reason: FailureReason): Promise<void>;
}

export interface DialerOptions {
  readonly resolver: Resolver;
  readonly negativeCache: NegativeCache | undefined;
  readonly connectTo: ConnectTo;
  /** Addresses of this service in canonical form; we never connect to them. */
  readonly ownAddresses: ReadonlySet<string>;
  /** Names whose owners opted out; they are refused like a bad address. */
  readonly optedOut: (host: string) => boolean;
  readonly secureContext: SecureContext;
  /** Whether the host's certificate is recorded; reading one takes milliseconds. */
  readonly certificates: boolean;
  readonly limits: ProbeLimits;
}

/** How a connection was established. Durations in milliseconds; null for phases that did not happen. */
export interface ConnectionFacts {
  readonly dnsMs: number;
  readonly connectMs: number;
  readonly tlsMs: number | null;
  readonly tls: TlsFacts | null;
}

interface Target {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Connects without TLS, whatever the URL says. */
  readonly plain?: true;
  /** The duration of the DNS lookup, in milliseconds. */
  readonly dnsMs: number;
}

type Vetted = Pick<Target, 'addresses' | 'dnsMs'>;

/** How long one address may take before the next one is tried. */
const NEXT_ADDRESS_MS = 1_000;

/**
 * Opens connections for one job, only to checked addresses. A name is resolved once per job, and one bad address
 * refuses the whole set. Sockets connect to the checked addresses, so that a second DNS answer has no effect, and the
 * address of the peer is compared again. Connections are kept alive within the job and closed with it.
 */
export class SafeDialer {
  readonly agent: Agent;
  /** The connections so far, in order. */
  readonly connections: ConnectionFacts[] = [];
  private readonly vetted = new Map<string, Promise<Vetted>>();
  private readonly sockets = new Set<Socket>();
  /** Bytes received on all connections. */
  private bytes = 0;
  private closed = false;

  constructor(private readonly options: DialerOptions) {
    const { limits } = options;
    this.agent = new Agent({
      connect: this.connector,
      connections: limits.concurrency,
      pipelining: 1,
      allowH2: false, // prevents rapid reset, CONTINUATION and SETTINGS floods
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      bodyTimeout: 0, // measured between chunks, so slow trickling never reaches it; the exchange has a deadline
      keepAliveMaxTimeout: limits.hostMs,
    });
  }

  /** Closes all connections at once, including those being established. No socket is opened afterwards. */
  async close(): Promise<void> {
    this.closed = true;
    for (const socket of this.sockets) socket.destroy(new ProbeFault('budget_spent'));
    await this.agent.destroy();
  }

  /** The checked addresses for a URL, which are also used for its connection. @throws ProbeFault */
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

  private async dial(host: string, port: number, https: boolean): Promise<Socket> {
    const target = await this.targetOf(host, port);
    const secure = https && !target.plain;
    if (this.closed || this.bytes > this.options.limits.probeBytes) throw new ProbeFault('budget_spent');
    const resolved = performance.now();
    const socket = this.open(host, target, secure);
    const shown = secure ? shownCertificate(socket) : undefined;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    // An alert after the handshake (TLS 1.3) does not close the socket by itself, and undici would only see it end.
    socket.on('error', (error) => socket.destroy(error));
    await reached(socket, 'connect', this.options.limits.connectMs);
    const { remoteAddress } = socket;
    // A peer that reset the connection at once has no address any more. That is its failure, not a refusal by our
    // policy.
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

  /** Counts the bytes received, and closes a connection that exceeds the limit. */
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
      rejectUnauthorized: true, // explicit, because a Node environment variable could change the default
    });
  }

  /** @throws ProbeFault for a name that does not resolve, and `address_refused` for a forbidden target */
  private async targetOf(host: string, port: number): Promise<Target> {
    if (this.options.optedOut(host)) throw new ProbeFault('address_refused');
    const listed = this.options.connectTo.get(connectToKey(host, port));
    if (listed) return { ...listed, addresses: [canonicalAddress(listed.address)], dnsMs: 0 };
    // Node connects to IP literals without calling `lookup`, so they are refused by name.
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
    // If this cache fails, the probe continues; if the store is down, the budgets end the probe.
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

/** A `lookup` with a fixed answer. */
function answering(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
}

/** Waits for an event of a connecting socket; if it is closed first, the cause is the error. */
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
