import { randomInt } from 'node:crypto';
import { connect, isIPv6 } from 'node:net';
import { streamDecode, streamEncode } from 'dns-packet';

/** What one name server says about the TXT records of a name. */
export interface TxtAnswer {
  /** Strings of each record joined. */
  readonly records: readonly string[];
  /** Last name of the CNAMEs that lead to them; null without one. */
  readonly target: string | null;
}

const MAX_BYTES = 16 * 1_024;
const MAX_RECORDS = 20;
const MAX_CNAMES = 4;

/**
 * Asks each name server for the TXT records of a name, over TCP, where no answer can be slipped in from beside. One
 * that gives no whole answer in time is undefined: then nothing is known of what it would say.
 * @param servers recursive ones, each `address`, `address:port` or `[address]:port`
 */
export function askEach(
  name: string,
  servers: readonly string[],
  budgetMs: number,
): Promise<readonly (TxtAnswer | undefined)[]> {
  return Promise.all(servers.map((server) => ask(name, server, budgetMs)));
}

function ask(name: string, server: string, budgetMs: number): Promise<TxtAnswer | undefined> {
  const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? [];
  const host = bracketed ?? plain ?? server;
  const id = randomInt(0x1_0000);
  return new Promise<TxtAnswer | undefined>((settle) => {
    const socket = connect({ host, port: Number(port), family: isIPv6(host) ? 6 : 4 });
    const end = (answer?: TxtAnswer): void => {
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
      else if (read.length >= 2 && read.length >= 2 + read.readUInt16BE(0)) end(readAnswer(read, id, name));
    });
    socket.on('connect', () => {
      const questions = [{ type: 'TXT' as const, name }];
      socket.write(streamEncode({ type: 'query', id, flags: 0x100, questions }));
    });
  });
}

/** Undefined for what is no whole answer to the question. */
function readAnswer(message: Buffer, id: number, name: string): TxtAnswer | undefined {
  try {
    const packet = streamDecode(message);
    const { rcode } = packet as { readonly rcode?: string };
    if (packet.id !== id || packet.type !== 'response') return undefined;
    if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return undefined;
    const answers = packet.answers ?? [];
    const aliases = new Map(answers.flatMap((each) => (each.type === 'CNAME' ? [[lower(each.name), each.data]] : [])));
    let owner = lower(name);
    for (let step = 0; aliases.has(owner); step += 1) {
      if (step === MAX_CNAMES) return { records: [], target: owner };
      owner = lower(aliases.get(owner) ?? '');
    }
    const records = answers.flatMap((each) =>
      each.type === 'TXT' && lower(each.name) === owner ? [textOf([each.data].flat())] : [],
    );
    return { records: records.slice(0, MAX_RECORDS), target: owner === lower(name) ? null : owner };
  } catch {
    return undefined; // a name server that sends anything else
  }
}

function textOf(parts: readonly (string | Buffer)[]): string {
  return Buffer.concat(parts.map((part) => Buffer.from(part))).toString('utf8');
}

function lower(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
