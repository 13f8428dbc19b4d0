import { randomInt } from 'node:crypto';
import { connect, isIPv6 } from 'node:net';
import { streamDecode, streamEncode } from 'dns-packet';
import { nameServerAddress } from './name-server-address';

/** The answer of one name server about the records of a name. */
export interface NamedRecords {
  /** False if the name does not exist (NXDOMAIN). */
  readonly exists: boolean;
  /** For TXT, the joined strings of each record; for NS, names in lower case. */
  readonly records: readonly string[];
  /** The final target of the CNAMEs, if there are any; otherwise null. */
  readonly target: string | null;
}

/** A DNS question. */
export interface Question {
  readonly type: 'TXT' | 'NS';
  readonly name: string;
}

const MAX_BYTES = 16 * 1_024;
const MAX_RECORDS = 20;
const MAX_CNAMES = 4;

/**
 * Asks each name server for the records of a name, over TCP, because UDP answers can be forged. The result is undefined
 * for a server without a complete answer in time.
 * @param servers recursive ones, each `address`, `address:port` or `[address]:port`
 */
export function askEach(
  question: Question,
  servers: readonly string[],
  budgetMs: number,
): Promise<readonly (NamedRecords | undefined)[]> {
  return Promise.all(servers.map((server) => ask(question, server, budgetMs)));
}

function ask(question: Question, server: string, budgetMs: number): Promise<NamedRecords | undefined> {
  const { host, port } = nameServerAddress(server);
  const id = randomInt(0x1_0000);
  return new Promise<NamedRecords | undefined>((settle) => {
    const socket = connect({ host, port, family: isIPv6(host) ? 6 : 4 });
    const end = (answer?: NamedRecords): void => {
      clearTimeout(timer);
      socket.destroy();
      settle(answer);
    };
    const timer = setTimeout(end, budgetMs);
    let read = Buffer.alloc(0);
    socket.on('error', () => {
      end();
    });
    socket.on('end', () => {
      end();
    });
    socket.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      if (read.length > MAX_BYTES) end();
      else if (read.length >= 2 && read.length >= 2 + read.readUInt16BE(0)) end(readAnswer(read, id, question));
    });
    socket.on('connect', () => {
      socket.write(streamEncode({ type: 'query', id, flags: 0x100, questions: [question] }));
    });
  });
}

/** Undefined for an incomplete response or one to another question. */
function readAnswer(message: Buffer, id: number, { type, name }: Question): NamedRecords | undefined {
  try {
    const packet = streamDecode(message);
    const { rcode } = packet as { readonly rcode?: string };
    if (packet.id !== id || packet.type !== 'response') return undefined;
    if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return undefined;
    const answers = packet.answers ?? [];
    const aliases = new Map(answers.flatMap((each) => (each.type === 'CNAME' ? [[lower(each.name), each.data]] : [])));
    const exists = rcode === 'NOERROR' || aliases.has(lower(name)); // NXDOMAIN is about the target of a CNAME.
    let owner = lower(name);
    for (let step = 0; aliases.has(owner); step += 1) {
      if (step === MAX_CNAMES) return { exists, records: [], target: owner };
      owner = lower(aliases.get(owner) ?? '');
    }
    const records = answers.flatMap((each) => {
      if (each.type !== type || lower(each.name) !== owner) return [];
      return [each.type === 'NS' ? lower(each.data) : textOf([each.data].flat())];
    });
    return { exists, records: records.slice(0, MAX_RECORDS), target: owner === lower(name) ? null : owner };
  } catch {
    return undefined; // a name server may send anything
  }
}

function textOf(parts: readonly (string | Buffer)[]): string {
  return Buffer.concat(parts.map((part) => Buffer.from(part))).toString('utf8');
}

/**
 * A name in lower case. Host names are printable ASCII; other characters are replaced so that the name can be stored.
 */
function lower(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/[^\x21-\x7e]/g, '\ufffd');
}
