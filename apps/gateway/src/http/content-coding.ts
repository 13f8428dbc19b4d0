import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** The codings we send, the most compact first (RFC 9110 section 8.4.1). */
const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** A shorter body fits one packet anyway, in bytes. */
const MIN_LENGTH = 1_000;
/** Memory for compressed bodies, in bytes. Bodies are compressed once and served often. */
const MAX_BYTES = 16 * 1_048_576;
/** A higher quality takes longer than it saves. */
const BROTLI_QUALITY = 5;
/** Clients send few different headers, so the choice is cached for each. */
const MAX_HEADERS = 200;
const MAX_HEADER_LENGTH = 200;

const kept = new LRUCache<string, Buffer>({ maxSize: MAX_BYTES, sizeCalculation: ({ length }) => length + 1 });
const underWay = new Map<string, Promise<Buffer>>();
const preferred = new LRUCache<string, { readonly coding: Coding | undefined }>({ max: MAX_HEADERS });

const compressed: Readonly<Record<Coding, (body: Buffer | string) => Promise<Buffer>>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body) => promisify(gzip)(body),
};
const brotli = promisify(brotliCompress);

/**
 * The coding of an answer for a client; undefined sends it uncompressed. Use it only for answers that are the same for
 * everybody: if an answer contains a secret, its compressed length leaks it (BREACH).
 */
export function codingFor(acceptEncoding: string | undefined, { length }: Buffer | string): Coding | undefined {
  if (acceptEncoding === undefined || length < MIN_LENGTH || acceptEncoding.length > MAX_HEADER_LENGTH)
    return undefined;
  let known = preferred.get(acceptEncoding);
  if (!known) {
    known = { coding: preferredCoding(acceptEncoding) };
    preferred.set(acceptEncoding, known);
  }
  return known.coding;
}

/** The strong tag of a body in a coding. Different bytes need a different tag (RFC 9110 section 8.8.3.3). */
export function codedTag(etag: string, coding: Coding | undefined): string {
  return coding === undefined ? etag : `${etag.slice(0, -1)}-${coding}"`;
}

/** The compressed body, made once for all clients. @param etag strong tag of the uncompressed body */
export function coded(body: Buffer | string, etag: string, coding: Coding): Buffer | Promise<Buffer> {
  const key = codedTag(etag, coding);
  const ready = kept.get(key);
  if (ready) return ready;
  const begun = underWay.get(key);
  if (begun) return begun;
  const made = compressed[coding](body)
    .then((bytes) => {
      kept.set(key, bytes);
      return bytes;
    })
    .finally(() => underWay.delete(key));
  underWay.set(key, made);
  return made;
}

/** The coding with the highest weight; among equals the most compact. Undefined if the client prefers plain text. */
function preferredCoding(acceptEncoding: string): Coding | undefined {
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(weightOf));
  const weight = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const plain = weights.get('identity') ?? 0;
  const best = CODINGS.toSorted((a, b) => weight(b) - weight(a))[0];
  return best !== undefined && weight(best) > 0 && weight(best) >= plain ? best : undefined;
}

function weightOf(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const stated = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding === 'x-gzip' ? 'gzip' : coding, stated === undefined ? 1 : Number(stated) || 0];
}
