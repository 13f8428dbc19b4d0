import type { Socket } from 'node:net';

/** `HTTP/1.1 100`: the beginning of a head that tells whether another one follows. */
const STATUS_LINE = 12;
const [LF, CR, TWO] = [0x0a, 0x0d, 0x32];

/**
 * Lets a connection bear a `100 Continue` that nobody asked for. A client must (RFC 9110 section 15.2), and undici, which bears
 * every other interim answer, ends the connection: it is handed a 102 in its place.
 */
export function bearContinue(socket: Socket): void {
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
