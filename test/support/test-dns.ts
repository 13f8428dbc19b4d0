import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** The server's answer for a name and type: addresses, an RCODE (RFC 1035 section 4.1.1), or none at all. */
export type DnsReply = readonly string[] | 'SERVFAIL' | 'NXDOMAIN' | 'silence';

export interface TestDns {
  /** `address:port`, for a resolver. */
  readonly server: string;
  /** `A name` and `AAAA name` of every query. */
  readonly queries: readonly string[];
  close(): Promise<void>;
}

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const RCODES = { NXDOMAIN: 3, SERVFAIL: 2 } as const;

/** A name server on loopback that answers with `answer`. */
export async function startTestDns(answer: (type: 'A' | 'AAAA', name: string) => DnsReply): Promise<TestDns> {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, end } = readName(query);
    const type = TYPES[query.readUInt16BE(end)] ?? 'A';
    queries.push(`${type} ${name}`);
    const reply = answer(type, name);
    if (reply !== 'silence') send(from, respond(query.subarray(0, end + 4), reply));
  });
  const send = (to: RemoteInfo, message: Buffer) => {
    socket.send(message, to.port, to.address);
  };
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    queries,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function readName(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

/** Header, the question repeated, and one record per address, whose name is a pointer to the question. */
function respond(question: Buffer, reply: Exclude<DnsReply, 'silence'>): Buffer {
  const message = Buffer.from(question);
  const addresses = typeof reply === 'string' ? [] : reply;
  message.writeUInt16BE(0x8180 | (typeof reply === 'string' ? RCODES[reply] : 0), 2);
  message.writeUInt16BE(1, 4);
  message.writeUInt16BE(addresses.length, 6);
  message.writeUInt32BE(0, 8);
  return Buffer.concat([message, ...addresses.map(record)]);
}

function record(address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.from([0xc0, 12, 0, data.length === 16 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, data]);
}
