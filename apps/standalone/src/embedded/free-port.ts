import { createServer } from 'node:net';

/** A TCP port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free TCP port on 127.0.0.1');
  return address.port;
}

/**
 * Whether another program already listens on that address. Other errors (unknown address, no permission) are thrown.
 */
export async function isTaken(host: string, port: number): Promise<boolean> {
  const server = createServer();
  return new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(true);
      else reject(error);
    });
    server.listen({ host, port, exclusive: true }, () =>
      server.close(() => {
        resolve(false);
      }),
    );
  });
}
