import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { S3Client } from '@aws-sdk/client-s3';

/** A bucket of a service that speaks the interface of S3. */
export interface BucketConfig {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly keyId: string;
  readonly secret: string;
}

/** Timeout of requests to the bucket in milliseconds, the same as for a statement (behaviour 13.6). */
const TIME_MS = 5_000;
/** A connection that does not come about in that time is tried once more. */
const CONNECT_MS = 2_000;

/** The bucket could not do its work now, whatever the reason: the same may be tried again later. */
export class BucketUnavailableError extends Error {
  override readonly name = 'BucketUnavailableError';
}

/** Objects by key. The library is read when the first one is: most services keep evidence in Postgres. */
export class EvidenceBucket {
  private opened: ReturnType<typeof openClient> | undefined;

  constructor(private readonly config: BucketConfig) {}

  /** @throws {BucketUnavailableError} then any number of them may have arrived */
  async put(objects: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.inTime(({ client, PutObjectCommand, Bucket }, abortSignal) =>
      [...objects].map(([Key, Body]) => client.send(new PutObjectCommand({ Bucket, Key, Body }), { abortSignal })),
    );
  }

  /** Those that are there. @throws {BucketUnavailableError} */
  async get(keys: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const found = await this.inTime(({ client, GetObjectCommand, Bucket }, abortSignal) =>
      keys.map(async (Key): Promise<readonly (readonly [string, Buffer])[]> => {
        try {
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal });
          return [[Key, await buffer(addAbortSignal(abortSignal, Body as Readable))]];
        } catch (error) {
          if (isMissing(error)) return [];
          throw error;
        }
      }),
    );
    return new Map(found.flat());
  }

  /** Also of objects that are not there. @throws {BucketUnavailableError} then any number of them may be gone */
  async remove(keys: readonly string[]): Promise<void> {
    await this.inTime(({ client, DeleteObjectCommand, Bucket }, abortSignal) =>
      keys.map((Key) => client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal })),
    );
  }

  async close(): Promise<void> {
    (await this.opened)?.client.destroy();
  }

  private async inTime<T>(
    work: (opened: Awaited<ReturnType<typeof openClient>>, signal: AbortSignal) => readonly Promise<T>[],
  ): Promise<readonly T[]> {
    const ending = new AbortController();
    const timer = setTimeout(() => {
      ending.abort(new Error(`no response within ${TIME_MS} ms`));
    }, TIME_MS);
    try {
      this.opened ??= openClient(this.config);
      return await Promise.all(work(await this.opened, ending.signal));
    } catch (cause) {
      ending.abort(cause); // the others are of no use any more
      throw new BucketUnavailableError(`cannot use the bucket ${this.config.bucket}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

async function openClient({ endpoint, bucket: Bucket, region, keyId, secret }: BucketConfig) {
  const { S3Client, ...commands } = await import('@aws-sdk/client-s3');
  const client: S3Client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId: keyId, secretAccessKey: secret },
    forcePathStyle: true, // what all services understand
    maxAttempts: 2,
    // What is stored is sealed, and that says whether it is whole; services of others do not know the newer sums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: TIME_MS, throwOnRequestTimeout: true },
  });
  return { ...commands, client, Bucket };
}

function isMissing(error: unknown): boolean {
  return (Object(error) as { name?: unknown }).name === 'NoSuchKey';
}
