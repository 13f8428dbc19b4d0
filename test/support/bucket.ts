import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from './processes';
import { startTcpFront, type TcpFront } from './tcp-front';

const KEY = 'S3RVER'; // the key that the server knows
const BUCKET = 'evidence';
/** The file name of an object. */
const OBJECT = '._S3rver_object';

/** A bucket on its own server, which checks signatures, behind a connection that can be cut. */
export interface TestBucket {
  readonly env: Readonly<Record<string, string>>;
  readonly line: TcpFront;
  /** Keys of the stored objects, sorted, read from its disk. */
  keys(): readonly string[];
  read(key: string): Buffer;
  close(): Promise<void>;
}

/** In its own process, because the server handles uncaught exceptions of its process. */
const SERVER = `
  const S3rver = require('@20minutes/s3rver');
  const options = { port: 0, address: '127.0.0.1', silent: true, directory: process.argv[1], configureBuckets: [{ name: '${BUCKET}' }] };
  new S3rver(options).run().then(({ port }) => process.send(port));`;

export async function startBucket(): Promise<TestBucket> {
  const folder = mkdtempSync(join(tmpdir(), 'hostprobe-bucket-'));
  const child = spawn(process.execPath, ['-e', SERVER, folder], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [port] = (await once(child, 'message')) as [number];
  const line = await startTcpFront(port);
  const bucket = join(folder, BUCKET);
  return {
    env: {
      EVIDENCE_S3_ENDPOINT: `http://127.0.0.1:${line.port}`,
      EVIDENCE_S3_BUCKET: BUCKET,
      EVIDENCE_S3_KEY_ID: KEY,
      EVIDENCE_S3_SECRET: KEY,
    },
    line,
    keys() {
      const files = readdirSync(bucket, { recursive: true, encoding: 'utf8' });
      return files.flatMap((file) => (file.endsWith(OBJECT) ? [file.slice(0, -OBJECT.length)] : [])).toSorted();
    },
    read: (key) => readFileSync(join(bucket, `${key}${OBJECT}`)),
    async close() {
      await line.close();
      await kill(child);
    },
  };
}
