import { createServer, type AddressInfo } from 'node:net';
import { streamDecode, streamEncode, type Answer, type Question } from 'dns-packet';

const NXDOMAIN = 3;

export interface NameServer {
  /** `address:port`. */
  readonly address: string;
  close(): void;
}

/**
 * A name server over TCP, which sends the first byte of an answer separately.
 * @param answers undefined for a nonexistent name
 * @param shift added to the id of the answer
 */
export async function startNameServer(
  answers: (question: Question) => readonly Answer[] | undefined,
  { rcode = 0, shift = 0 } = {},
): Promise<NameServer> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (query) => {
      const { id = 0, questions = [] } = streamDecode(query);
      const found = questions[0] && answers(questions[0]);
      const named = { type: 'response', id: (id + shift) & 0xffff, flags: found ? rcode : NXDOMAIN } as const;
      const answer = streamEncode({ ...named, questions, answers: [...(found ?? [])] });
      socket.write(answer.subarray(0, 1));
      socket.write(answer.subarray(1));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => server.close() };
}
