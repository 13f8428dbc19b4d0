import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/**
 * How many characters of a line are kept: more than a name with its rank and address needs. A file may have no line
 * ends at all.
 */
export const LONGEST_LINE = 4_096;

/**
 * The lines of a list, in batches, without line ends and byte order mark. Gzip is detected by the first bytes. It only
 * holds one chunk and the start of one line, however long the list and its lines are.
 * @throws errors of the stream, and an `Error` of zlib for a damaged or truncated gzip file
 */
export async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let first = true;
  for await (const chunk of await unpacked(source)) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = (parts.pop() ?? '').slice(0, LONGEST_LINE);
    if (parts.length > 0) yield parts.map((line) => line.slice(0, LONGEST_LINE));
    first = false;
  }
  if (!first && rest !== '') yield [rest.replace(/\r$/, '')];
}

async function unpacked(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const whole = (async function* () {
    yield head;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
  if (head[0] !== 0x1f || head[1] !== 0x8b) return whole;
  const gunzip = createGunzip();
  const packed = Readable.from(whole);
  packed.on('error', (error) => gunzip.destroy(error));
  return packed.pipe(gunzip);
}
