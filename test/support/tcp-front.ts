import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** A line to a server on the loopback interface that can be cut, or go silent. */
export interface TcpFront {
  readonly port: number;
  /** `cut` ends what is connected and what comes; `silent` takes connections and says nothing. */
  state: 'open' | 'cut' | 'silent';
  close(): Promise<void>;
}

export async function startTcpFront(toPort: number): Promise<TcpFront> {
  const sockets = new Set<Socket>();
  let state: TcpFront['state'] = 'open';
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.on('error', () => undefined));
    return socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    if (state === 'cut') socket.destroy();
    if (state !== 'open') return;
    const upstream = keep(connect(toPort, '127.0.0.1'));
    socket.pipe(upstream).pipe(socket);
    socket.once('close', () => upstream.destroy());
    upstream.once('close', () => socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get state() {
      return state;
    },
    set state(next) {
      state = next;
      if (next !== 'open') drop();
    },
    async close() {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}
