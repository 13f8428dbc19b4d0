import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { ProbeDocuments } from './document-store';
import { ProbeFault } from './failure';
import type { ProbeLimits } from './limits';

export interface BodyCaps {
  readonly wireBytes: number;
  readonly decodedBytes: number;
  /** Accounts for the decoded bytes; without it there is no limit. */
  readonly documents?: Pick<ProbeDocuments, 'keep' | 'drop'>;
  /** For streams that may never end: how long to read before truncating. */
  readonly listenMs?: number;
}

export interface BodyRead {
  readonly bytes: Buffer;
  /** The body exceeded a limit. */
  readonly truncated: boolean;
}

type Coding = 'identity' | 'gzip' | 'deflate' | 'br';

/**
 * Reads a response body with limits on bytes received, bytes decoded, and their ratio, all checked while streaming,
 * because a decompression bomb is small until it is decoded. Beyond a limit, or without memory left, the rest is not
 * read (`truncated`).
 * @throws ProbeFault `bad_encoding` for a broken, chained or unsupported coding, `too_large` for a decompression bomb;
 * and errors of the connection
 */
export async function readBody(
  wire: Readable,
  contentEncoding: string,
  caps: BodyCaps,
  limits: Pick<ProbeLimits, 'inflation' | 'inflationFloorBytes'>,
): Promise<BodyRead> {
  wire.on('error', () => undefined); // read errors surface in the loop; one after its end must not crash the process
  const cut = { wire: false, time: false };
  const timer = caps.listenMs === undefined ? undefined : setTimeout(stopListening, caps.listenMs);
  function stopListening() {
    cut.time = true;
    wire.destroy();
  }
  const chunks: Buffer[] = [];
  let [size, kept] = [0, 0];
  try {
    // Inside the try block, so that an unreadable body is removed from its connection, which could not be reused
    // otherwise.
    const coding = codingOf(contentEncoding);
    for await (const { chunk, consumed } of decoded(wire, coding, caps.wireBytes, cut)) {
      size += chunk.length;
      if (size > limits.inflationFloorBytes && size > consumed * limits.inflation) throw new ProbeFault('too_large');
      const wanted = Math.min(chunk.length, caps.decodedBytes - kept);
      const room = caps.documents ? caps.documents.keep(wanted) : wanted;
      kept += room;
      chunks.push(chunk);
      if (room < chunk.length) return { bytes: Buffer.concat(chunks, kept), truncated: true };
    }
    return { bytes: Buffer.concat(chunks), truncated: cut.wire || cut.time };
  } catch (error) {
    // Truncating the stream causes an error in the decoder or the stream; the data so far is the answer.
    if (cut.wire || cut.time) return { bytes: Buffer.concat(chunks), truncated: true };
    caps.documents?.drop(kept);
    throw error;
  } finally {
    clearTimeout(timer);
    wire.destroy();
  }
}

function codingOf(contentEncoding: string): Coding {
  const coding = contentEncoding.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'identity';
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  if (coding === 'deflate' || coding === 'br') return coding;
  throw new ProbeFault('bad_encoding');
}

interface Piece {
  readonly chunk: Buffer;
  /** Bytes received for all chunks so far. */
  readonly consumed: number;
}

async function* decoded(
  wire: Readable,
  coding: Coding,
  wireCap: number,
  cut: { wire: boolean },
): AsyncGenerator<Piece, void, undefined> {
  const source = metered(wire, wireCap, cut);
  if (coding === 'identity') {
    let consumed = 0;
    for await (const chunk of source) yield { chunk, consumed: (consumed += chunk.length) };
    return;
  }
  const first = await source.next();
  if (first.done) return; // an empty body, whatever the headers say
  const decoder = decoderFor(coding, first.value);
  pipeline(startingWith(first.value, source), decoder, () => undefined);
  for await (const chunk of decoder as AsyncIterable<Buffer>) yield { chunk, consumed: decoder.bytesWritten };
}

/** Passes bytes on up to the limit; the next byte sets `cut.wire` and ends the stream. */
async function* metered(wire: Readable, cap: number, cut: { wire: boolean }): AsyncGenerator<Buffer, void, undefined> {
  let left = cap;
  for await (const chunk of wire as AsyncIterable<Buffer>) {
    cut.wire = chunk.length > left;
    yield cut.wire ? chunk.subarray(0, left) : chunk;
    if (cut.wire) return;
    left -= chunk.length;
  }
}

async function* startingWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield first;
  yield* rest;
}

/** `deflate` means zlib (RFC 9110 section 8.4.1.2), but some servers send raw deflate; the first byte tells which. */
function decoderFor(coding: Exclude<Coding, 'identity'>, first: Buffer): Transform & { readonly bytesWritten: number } {
  if (coding === 'gzip') return createGunzip();
  if (coding === 'br') return createBrotliDecompress();
  return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}
