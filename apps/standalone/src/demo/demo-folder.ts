import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { streamDecode, streamEncode } from 'dns-packet';
import { challengeName } from '@app/owners';
import { text, type DemoAnswer } from './demo-site';

/** What a visitor publishes for demo hosts: files of a folder for each host, read when they are asked for. */
export interface DemoFolder {
  /** `address:port` of a name server over TCP that has a TXT record where a host's folder has `dns.txt`. */
  readonly resolver: string;
  /** The file of a host's folder at that path of a URL, as the host answers it; undefined for nothing. */
  readonly file: (name: string, path: string) => DemoAnswer | undefined;
  readonly stop: () => Promise<void>;
}

/** Path of the file in a host's folder that stands for its record: the host itself does not serve it. */
const RECORD = '/dns.txt';

/** A path that leads to a file in a folder and to nothing above it. */
const PLAIN_PATH = /^(?:\/[\w-]*(?:\.[\w-]+)*)+$/;

const NOERROR = 0;
const NXDOMAIN = 3;

/** @param dir has, or gets, the folders; only those of `names` are read */
export async function startDemoFolder(names: readonly string[], dir: string): Promise<DemoFolder> {
  const published = (name: string, path: string): string | undefined => {
    try {
      return readFileSync(join(dir, name, path), 'utf8').trim();
    } catch {
      return undefined; // nothing was published
    }
  };
  const recordOf = (asked: string): string | undefined => {
    const name = names.find((one) => challengeName(one) === asked.toLowerCase());
    return name === undefined ? undefined : published(name, RECORD);
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (query) => {
      try {
        const { id = 0, questions = [] } = streamDecode(query);
        const [name = ''] = questions.map((question) => question.name);
        const record = recordOf(name);
        const answers = record === undefined ? [] : [{ type: 'TXT' as const, name, data: record }];
        const flags = names.some((one) => `.${challengeName(one)}`.endsWith(`.${name.toLowerCase()}`))
          ? NOERROR
          : NXDOMAIN;
        socket.end(streamEncode({ type: 'response', id, flags, questions, answers }));
      } catch {
        socket.destroy(); // that was no question
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    resolver: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    file: (name, path) => {
      const content = PLAIN_PATH.test(path) && path !== RECORD ? published(name, path) : undefined;
      return content === undefined ? undefined : text('text/plain', content);
    },
    stop: () =>
      new Promise((resolve) =>
        server.close(() => {
          resolve();
        }),
      ),
  };
}
