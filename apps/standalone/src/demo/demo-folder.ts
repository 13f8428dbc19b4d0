import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { streamDecode, streamEncode } from 'dns-packet';
import { challengeName } from '@app/owners';
import { text, type DemoAnswer } from './demo-site';

/** Files that a visitor publishes for demo hosts: one folder per host, read on each request. */
export interface DemoFolder {
  /** `address:port` of a name server over TCP. It has a TXT record for each host whose folder contains `dns.txt`. */
  readonly resolver: string;
  /** The response of a host for a URL path, from the file in its folder; undefined if there is no such file. */
  readonly file: (name: string, path: string) => DemoAnswer | undefined;
  readonly stop: () => Promise<void>;
}

/** Path of the file with the TXT record of a host; the host itself does not serve it. */
const RECORD = '/dns.txt';

/** A path to a file inside a folder; it cannot lead outside the folder. */
const PLAIN_PATH = /^(?:\/[\w-]*(?:\.[\w-]+)*)+$/;

const NOERROR = 0;
const NXDOMAIN = 3;

/** @param dir the parent of the folders, which may be created later; only those of `names` are read */
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
        socket.destroy(); // not a DNS query
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
