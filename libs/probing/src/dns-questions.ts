import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { getServers } from 'node:dns';
import { isIPv6 } from 'node:net';
import { decode, encode } from 'dns-packet';
import type { DnsQuestion, DnsRecords } from '@app/detectors';
import { nameServerAddress } from './name-server-address';

/** Record types; 64 is SVCB (RFC 9460), which the resolver of Node.js 20 does not support. */
const TYPES = { TXT: 'TXT', SVCB: 'UNKNOWN_64' } as const;

/**
 * Sends each question to a name server once, over UDP. A question without a complete answer in time is left out, which
 * is not the same as "no record".
 * @param server `address`, `address:port` or `[address]:port`; by default the first one of the system
 */
export async function askDns(
  questions: readonly DnsQuestion[],
  budgetMs: number,
  server: string | undefined = getServers()[0],
): Promise<readonly DnsRecords[]> {
  if (server === undefined) return [];
  const answers = await Promise.all(questions.map((question) => ask(question, budgetMs, server)));
  return answers.flatMap((answer) => answer ?? []);
}

function ask(question: DnsQuestion, budgetMs: number, server: string): Promise<DnsRecords | undefined> {
  const { host, port } = nameServerAddress(server);
  const id = randomInt(0x1_0000);
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  return new Promise<DnsRecords | undefined>((settle) => {
    const timer = setTimeout(settle, budgetMs, undefined);
    const end = (answer?: DnsRecords): void => {
      clearTimeout(timer);
      settle(answer);
    };
    socket.on('error', () => {
      end();
    });
    socket.on('message', (message) => {
      end(readAnswer(message, id, question));
    });
    // A connected socket only accepts datagrams from this server.
    socket.connect(port, host, () => {
      // dns-packet accepts numbers for unknown types, but its TypeScript types do not allow them.
      const type = TYPES[question.type] as 'TXT';
      socket.send(encode({ type: 'query', id, flags: 0x100, questions: [{ type, name: question.name }] }));
    });
  }).finally(() => socket.close());
}

/** Undefined for an incomplete response or one to another question. */
function readAnswer(message: Buffer, id: number, question: DnsQuestion): DnsRecords | undefined {
  try {
    const packet = decode(message);
    const { rcode } = packet as { readonly rcode?: string };
    if (packet.id !== id || packet.type !== 'response' || packet.flag_tc) return undefined;
    if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return undefined;
    const wanted: string = TYPES[question.type];
    const records = (packet.answers ?? []).flatMap((answer) => {
      if (answer.type !== (wanted as 'TXT') || !('data' in answer)) return [];
      const parts = [answer.data].flat().map((part) => Buffer.from(part));
      return question.type === 'TXT' ? Buffer.concat(parts).toString('utf8') : (serviceOf(parts[0]) ?? []);
    });
    return { ...question, records: records.slice(0, MAX_RECORDS) };
  } catch {
    return undefined; // a name server may send anything
  }
}

const MAX_RECORDS = 20;

/** Priority and target of an SVCB record, whose names are never compressed. */
function serviceOf(data: Buffer | undefined): string | undefined {
  if (!data || data.length < 3) return undefined;
  const labels: string[] = [];
  let at = 2;
  for (let length = data[at] ?? 0; length > 0; length = data[at] ?? 0) {
    labels.push(data.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return `${data.readUInt16BE(0)} ${labels.join('.')}`;
}
