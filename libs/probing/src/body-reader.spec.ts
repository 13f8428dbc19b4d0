import { Readable } from 'node:stream';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { BOMBS } from '../../../test/support/bomb';
import { readBody, type BodyCaps } from './body-reader';
import { ProbeFault } from './failure';

const LIMITS = { inflation: 100, inflationFloorBytes: 64 * 1024 };
const CAPS: BodyCaps = { wireBytes: 100_000, decodedBytes: 400_000 };

/** The bytes as a stream of 1,000-byte chunks, as from a socket. */
function wire(bytes: Buffer): Readable {
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, i) =>
    bytes.subarray(i * 1_000, (i + 1) * 1_000),
  );
  return Readable.from(pieces, { objectMode: false });
}

const read = (bytes: Buffer, coding: string, caps: Partial<BodyCaps> = {}) =>
  readBody(wire(bytes), coding, { ...CAPS, ...caps }, LIMITS);
/** Text that compresses by a small factor, like documents. */
const document = (lines: number) =>
  Buffer.from(Array.from({ length: lines }, (_, i) => `item ${i} ${(i * 7_919) % 9_973}\n`).join(''));

const CODINGS = [
  ['identity', (bytes: Buffer) => bytes],
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', (bytes: Buffer) => brotliCompressSync(bytes)],
] as const;

describe('reading a body', () => {
  it.each(CODINGS)('decodes %s', async (coding, encode) => {
    const text = document(2_000);
    expect(await read(encode(text), coding)).toEqual({ bytes: text, truncated: false });
  });

  it.each(CODINGS)('truncates %s at the decoded limit, with a flag', async (coding, encode) => {
    const text = document(2_000);
    const cut = await read(encode(text), coding, { decodedBytes: 10_000 });
    expect(cut).toEqual({ bytes: text.subarray(0, 10_000), truncated: true });
  });

  it.each(CODINGS)('truncates %s at the wire limit and keeps the decoded part', async (coding, encode) => {
    const text = document(2_000);
    const cut = await read(encode(text), coding, { wireBytes: 3_000 });
    expect(cut.truncated).toBe(true);
    expect(text.subarray(0, cut.bytes.length)).toEqual(cut.bytes);
  });

  it('treats a body of exactly the limit as complete', async () => {
    const text = document(100);
    const caps = { wireBytes: text.length, decodedBytes: text.length };
    expect(await read(text, '', caps)).toEqual({ bytes: text, truncated: false });
  });

  it.each(BOMBS)('refuses fifty megabytes of zeros in %s', async (coding, bomb) => {
    expect(bomb.length).toBeLessThan(50_000);
    await expect(read(bomb, coding)).rejects.toEqual(new ProbeFault('too_large'));
  });

  it.each(['gzip, br', 'gzip, gzip', 'br,', 'zstd', 'compress', 'gzip'.concat(', gzip'.repeat(999))])(
    'refuses the coding %p, which was not offered',
    async (coding) => {
      await expect(read(gzipSync('{}'), coding)).rejects.toEqual(new ProbeFault('bad_encoding'));
    },
  );

  it('decodes one layer of nested codings only', async () => {
    const inner = gzipSync('{"secret":1}');
    expect((await read(gzipSync(inner), 'gzip')).bytes).toEqual(inner);
  });

  it.each([
    ['gzip', gzipSync(document(2_000)).subarray(0, 5_000)],
    ['gzip', Buffer.from('this is not compressed')],
    ['deflate', Buffer.from('x: not compressed')],
    ['br', Buffer.from('this is not compressed')],
  ])('reports broken %s', async (coding, bytes) => {
    const error: unknown = await read(bytes, coding).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(Z_|ERR_)/) });
  });

  it('treats zero bytes as an empty body in any coding', async () => {
    expect(await read(Buffer.alloc(0), 'gzip')).toEqual({ bytes: Buffer.alloc(0), truncated: false });
  });

  it('stops reading an endless stream', async () => {
    const endless = new Readable({ read: () => undefined });
    endless.push('event: ping\n\n');
    const heard = await readBody(endless, '', { ...CAPS, listenMs: 20 }, LIMITS);
    expect(heard).toEqual({ bytes: Buffer.from('event: ping\n\n'), truncated: true });
    expect(endless.destroyed).toBe(true);
  });

  it('passes on the error of the connection', async () => {
    const broken = new Readable({ read: () => undefined });
    broken.push(gzipSync(document(10)).subarray(0, 20));
    setImmediate(() => broken.destroy(new ProbeFault('connection_reset')));
    await expect(readBody(broken, 'gzip', CAPS, LIMITS)).rejects.toEqual(new ProbeFault('connection_reset'));
  });
});
