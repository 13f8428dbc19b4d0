import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createGzip, gunzip } from 'node:zlib';
import type { Exchange } from '@app/detectors';

/** A line of an archive: an exchange, its body left out when an earlier line holds the same one. */
type Line = Exchange | (Omit<Extract<Exchange, { kind: 'answer' }>, 'body'> & { readonly body?: undefined });

const inflate = promisify(gunzip);

/** Characters of a body that are escaped at once, and of an archive that are compressed at once. */
const PIECE = 65_536;

/**
 * The exchanges of a look as gzip of JSON lines. Hosts love to answer the same page to everything, so a body is written
 * once. One exchange is rendered at a time and compressed off the main thread: a look can weigh megabytes.
 */
export async function packEvidence(exchanges: readonly Exchange[]): Promise<Buffer> {
  const gzip = createGzip();
  const packed = buffer(gzip);
  const written = new Set<string>();
  let pending = ''; // every write is handed to another thread and back, which costs more than compressing a line
  for (const exchange of exchanges) {
    for (const piece of piecesOf(lineOf(exchange, written))) {
      pending += piece;
      if (pending.length < PIECE) continue;
      if (!gzip.write(pending)) await once(gzip, 'drain');
      pending = '';
    }
  }
  gzip.end(pending);
  return packed;
}

/** The exchanges that `packEvidence` packed. */
export async function unpackEvidence(packed: Uint8Array): Promise<readonly Exchange[]> {
  const bodies = new Map<string, string>();
  const exchanges: Exchange[] = [];
  const octets = await inflate(packed);
  for (let start = 0; start < octets.length;) {
    const end = octets.indexOf('\n', start);
    const line = JSON.parse(octets.toString('utf8', start, end)) as Line;
    start = end + 1;
    if (line.kind === 'answer') bodies.set(line.sha256, line.body ?? bodies.get(line.sha256) ?? '');
    exchanges.push(line.kind === 'failure' ? line : { ...line, body: bodies.get(line.sha256) ?? '' });
    await setImmediate(); // one line at a time: together they can hold the event loop for long
  }
  return exchanges;
}

/** A line of JSON, a long body in pieces: escaping megabytes of control characters at once would hold everything up. */
function* piecesOf(line: Line): Generator<string, void, undefined> {
  if (line.kind === 'failure' || line.body === undefined) {
    yield `${JSON.stringify(line)}\n`;
    return;
  }
  const { body, ...rest } = line;
  yield `${JSON.stringify(rest).slice(0, -1)},"body":"`;
  // A pair of surrogates that is cut in two is escaped as two halves, which read as the pair again.
  for (let at = 0; at < body.length; at += PIECE) yield JSON.stringify(body.slice(at, at + PIECE)).slice(1, -1);
  yield '"}\n';
}

function lineOf(exchange: Exchange, written: Set<string>): Line {
  if (exchange.kind === 'failure') return exchange;
  if (!written.has(exchange.sha256)) {
    written.add(exchange.sha256);
    return exchange;
  }
  return { ...exchange, body: undefined };
}
