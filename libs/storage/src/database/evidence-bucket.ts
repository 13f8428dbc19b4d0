import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { S3Client } from '@aws-sdk/client-s3';

/** An S3-compatible bucket. */
export interface BucketConfig {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly keyId: string;
  readonly secret: string;
}

/** The timeout of requests to the bucket, in milliseconds, as for statements (behaviour 13.6). */
const TIME_MS = 5_000;
/** A connection that takes longer is tried once more. */
const CONNECT_MS = 2_000;

/** The bucket is unavailable for any reason; a retry may help. */
export class BucketUnavailableError extends Error {
  override readonly name = 'BucketUnavailableError';
}

/** Objects by key. The library is loaded with the first object, because most services keep evidence in Postgres. */
export class EvidenceBucket {
  private opened: ReturnType<typeof openClient> | undefined;

  constructor(private readonly config: BucketConfig) {}

  /** @throws {BucketUnavailableError} any number of the objects may have been stored */
  async put(objects: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.inTime(({ client, PutObjectCommand, Bucket }, abortSignal) =>
      [...objects].map(([Key, Body]) => client.send(new PutObjectCommand({ Bucket, Key, Body }), { abortSignal })),
    );
  }

  /** The objects that exist. @throws {BucketUnavailableError} */
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

  /** Also accepts missing objects. @throws {BucketUnavailableError} any number of the objects may have been removed */
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
      ending.abort(cause); // the other requests are no longer needed
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
    forcePathStyle: true, // supported by all providers
    maxAttempts: 2,
    // Objects are encrypted with authentication, so checksums are not needed, and some S3-compatible services do not
    // know the newer ones.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: TIME_MS, throwOnRequestTimeout: true },
  });
  return { ...commands, client, Bucket };
}

function isMissing(error: unknown): boolean {
  return (Object(error) as { name?: unknown }).name === 'NoSuchKey';
}
