import { createServer, type AddressInfo } from 'node:net';
import { streamDecode, streamEncode, type Answer } from 'dns-packet';

export interface NameServer {
  /** `address:port`. */
  readonly address: string;
  close(): void;
}

/** A name server over TCP that answers every question alike, the first byte by itself. @param shift added to the id of the answer */
export async function startNameServer(
  answers: () => readonly Answer[],
  { rcode = 0, shift = 0 } = {},
): Promise<NameServer> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (query) => {
      const { id = 0, questions = [] } = streamDecode(query);
      const named = { type: 'response', id: (id + shift) & 0xffff, flags: rcode } as const;
      const answer = streamEncode({ ...named, questions, answers: [...answers()] });
      socket.write(answer.subarray(0, 1));
      socket.write(answer.subarray(1));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => server.close() };
}
