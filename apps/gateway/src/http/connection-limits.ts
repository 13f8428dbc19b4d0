import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, type Server, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { callerKey, isLoopback, networkKey } from '@app/limits';
import { refuseSocket } from './client-error';

export interface ConnectionCaps {
  /** The limit for this process. */
  readonly total: number;
  /** The limit for one caller: an IPv4 address or an IPv6 /64. */
  readonly perAddress: number;
}

/**
 * How long a client may take, in milliseconds: to send the headers, to send the body, between requests on a kept-alive
 * connection, and to read an answer. The last one must exceed the longest sale, because no byte is sent while a sale
 * runs.
 */
export const CONNECTION_TIMES = {
  headers: 10_000,
  request: 15_000,
  keptAlive: 72_000,
  silence: 120_000,
  /** How often the first two are checked. */
  check: 2_000,
} as const;

/** Open connections grouped by origin, the oldest first. */
class SocketsByKey {
  private readonly crowds = new Map<string, Set<Socket>>();

  of(key: string | undefined): ReadonlySet<Socket> {
    return (key !== undefined && this.crowds.get(key)) || NO_SOCKETS;
  }

  get largest(): ReadonlySet<Socket> {
    return [...this.crowds.values()].reduce<ReadonlySet<Socket>>((a, b) => (b.size > a.size ? b : a), NO_SOCKETS);
  }

  add(key: string, socket: Socket): void {
    const crowd = this.crowds.get(key) ?? new Set<Socket>();
    this.crowds.set(key, crowd.add(socket));
    socket.once('close', () => {
      crowd.delete(socket);
      if (crowd.size === 0) this.crowds.delete(key);
    });
  }
}
const NO_SOCKETS: ReadonlySet<Socket> = new Set();

/**
 * Limits the open connections of the process and of each address, so that endless requests cost a bounded amount of
 * memory. When the process is full, a new caller gets the place of the oldest connection of the busiest network, or
 * else of the busiest address; if all have equally few, of the oldest connection without a complete request. Trusted
 * proxies and this machine stand for many callers, so their connections count only toward the limit of the process.
 */
export class ConnectionLimits {
  private readonly addresses = new SocketsByKey();
  private readonly networks = new SocketsByKey();
  private readonly sockets = new Set<Socket>();
  /** Requests in progress: with pipelining, a connection may have several. */
  private readonly atWork = new Map<Socket, Set<IncomingMessage>>();
  private closing = false;

  constructor(
    private readonly caps: ConnectionCaps,
    private readonly standsForMany: (address: string) => boolean,
  ) {}

  observe(server: Pick<Server, 'on'>): void {
    server.on('connection', (socket: Socket) => {
      this.admit(socket);
    });
  }

  /**
   * When the gateway closes, ends connections without a complete request, and the others after their last answer.
   * Otherwise it would wait for them.
   */
  endUnfinished(fastify: Pick<FastifyInstance, 'addHook'>): void {
    fastify.addHook('preHandler', ({ raw }, _reply, done) => {
      this.atWork.set(raw.socket, (this.atWork.get(raw.socket) ?? new Set()).add(raw));
      done();
    });
    fastify.addHook('onResponse', ({ raw }, _reply, done) => {
      const others = this.atWork.get(raw.socket);
      others?.delete(raw);
      if (others?.size === 0) {
        this.atWork.delete(raw.socket);
        if (this.closing) raw.socket.end();
      }
      done();
    });
    fastify.addHook('preClose', (done) => {
      this.closing = true;
      for (const socket of this.sockets) if (!this.atWork.has(socket)) socket.destroy();
      done();
    });
  }

  private admit(socket: Socket): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) {
      socket.destroy(); // it is already closed
      return;
    }
    const shared = this.standsForMany(remoteAddress);
    const [address, network] = shared ? [] : [callerKey(remoteAddress), networkKey(remoteAddress)];
    if (
      this.addresses.of(address).size >= this.caps.perAddress ||
      (this.sockets.size >= this.caps.total && !this.makeRoom(address, network))
    ) {
      refuseSocket(socket, 'too_many_connections');
      return;
    }
    this.sockets.add(socket);
    if (address !== undefined) this.addresses.add(address, socket);
    if (network !== undefined) this.networks.add(network, socket);
    socket.once('close', () => {
      this.sockets.delete(socket);
      this.atWork.delete(socket);
    });
  }

  /** Closes somebody else's connection; false if the callers who need room are the busiest themselves. */
  private makeRoom(address: string | undefined, network: string | undefined): boolean {
    const own = this.networks.of(network);
    const { largest: widest } = this.networks;
    if (widest.size > own.size + 1) return this.endOldest(widest);
    const { largest } = this.addresses;
    if (largest.size > this.addresses.of(address).size + 1) return this.endOldest(largest);
    return own.size === 0 && this.endOldest(new Set([...this.sockets].filter((socket) => this.isIdle(socket))));
  }

  private endOldest(crowd: ReadonlySet<Socket>): boolean {
    for (const oldest of crowd) return Boolean(oldest.destroy());
    return false;
  }

  /** Whether none of a caller's connections has a complete request. */
  private isIdle(socket: Socket): boolean {
    return !this.atWork.has(socket) && !this.standsForMany(socket.remoteAddress ?? '');
  }
}

/**
 * Recognizes addresses shared by many callers: those of this machine and of proxies.
 * @param proxies addresses and ranges in CIDR notation, from `TRUSTED_PROXIES`
 */
export function sharedAddresses(proxies: readonly string[]): (address: string) => boolean {
  const isProxy = inRanges(proxies);
  return (address) => isLoopback(address) || isProxy(address);
}

/**
 * The caller's network address behind trusted proxies: the last entry of `X-Forwarded-For` that is not a trusted proxy,
 * as in Fastify's `request.ip`.
 */
export function callerAddress(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isProxy = inRanges(proxies);
  return ({ socket: { remoteAddress = '' }, headers }) => {
    const forwarded = headers['x-forwarded-for'];
    if (proxies.length === 0 || typeof forwarded !== 'string') return remoteAddress;
    const stated = forwarded.split(',').map((part) => part.trim());
    const way = [...stated.filter((part) => part !== ''), remoteAddress];
    return way.findLast((address) => !isProxy(address)) ?? way[0] ?? remoteAddress;
  };
}

/** @param proxies addresses and ranges in CIDR notation */
function inRanges(proxies: readonly string[]): (address: string) => boolean {
  const ranges = new BlockList();
  for (const text of proxies) {
    const [address = '', bits] = text.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) ranges.addAddress(address, family);
    else ranges.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:/, '');
    const family = isIP(plain);
    return family !== 0 && ranges.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  };
}
