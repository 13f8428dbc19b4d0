import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** A connection to a server on loopback that can be cut or become silent. */
export interface TcpFront {
  readonly port: number;
  /** The number of connections so far, including those that were cut at once. */
  readonly taken: number;
  /** Holds back all bytes in both directions until the promise settles; connections stay open. */
  standStill(over: Promise<unknown>): Promise<void>;
  /** `cut` closes existing and new connections; `silent` accepts connections and sends nothing. */
  state: 'open' | 'cut' | 'silent';
  close(): Promise<void>;
}

export async function startTcpFront(toPort: number): Promise<TcpFront> {
  const sockets = new Set<Socket>();
  let state: TcpFront['state'] = 'open';
  let still = false;
  let taken = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.on('error', () => undefined));
    return socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    taken += 1;
    keep(socket);
    if (state === 'cut') socket.destroy();
    if (state !== 'open') return;
    const upstream = keep(connect(toPort, '127.0.0.1'));
    socket.pipe(upstream).pipe(socket);
    if (still) [socket, upstream].forEach((one) => one.pause());
    socket.once('close', () => upstream.destroy());
    upstream.once('close', () => socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get taken() {
      return taken;
    },
    get state() {
      return state;
    },
    set state(next) {
      state = next;
      drop(); // clients reconnect, now to this server
    },
    async standStill(over) {
      still = true;
      for (const socket of sockets) socket.pause();
      await over;
      still = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}
