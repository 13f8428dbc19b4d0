import { Socket, type LookupFunction } from 'node:net';

export interface WatchedSockets {
  /** The addresses that sockets would have tried, in order. */
  readonly dialled: readonly string[];
  /** The number of sockets that tried to connect. */
  readonly opened: () => number;
  /** Stops watching. */
  restore(): void;
}

/**
 * Every socket of this process uses Socket.connect, so counting its calls counts sockets. The addresses that one would
 * try are read from its lookup. It connects to nothing, because public addresses belong to others.
 */
export function watchSockets(): WatchedSockets {
  const dialled: string[] = [];
  const spy = jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const [options] = args.flat() as [{ host: string; lookup: LookupFunction }];
    options.lookup(options.host, { all: true }, (_error, addresses) => {
      dialled.push(...[addresses].flat().map((entry) => (typeof entry === 'string' ? entry : entry.address)));
      setImmediate(() => this.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })));
    });
    return this;
  });
  return {
    dialled,
    opened: () => spy.mock.calls.length,
    restore: () => {
      spy.mockRestore();
    },
  };
}

/** A resolver that answers each query with the next set, repeating the last one. */
export function resolverOf(...sets: readonly (readonly string[])[]) {
  const asked: string[] = [];
  return {
    asked,
    resolve: (host: string): Promise<readonly string[]> => {
      asked.push(host);
      return Promise.resolve(sets[Math.min(asked.length, sets.length) - 1] ?? []);
    },
  };
}
