import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGzip, gunzip } from 'node:zlib';
import type { Exchange } from '@app/detectors';

/** A line of an archive: an exchange, its body left out when an earlier line holds the same one. */
type Line = Exchange | (Omit<Extract<Exchange, { kind: 'answer' }>, 'body'> & { readonly body?: undefined });

const inflate = promisify(gunzip);

/**
 * The exchanges of a look as gzip of JSON lines. Hosts love to answer the same page to everything, so a body is written
 * once. One exchange is rendered at a time and compressed off the main thread: a look can weigh megabytes.
 */
export async function packEvidence(exchanges: readonly Exchange[]): Promise<Buffer> {
  const gzip = createGzip();
  const packed = buffer(gzip);
  const written = new Set<string>();
  for (const exchange of exchanges) {
    if (!gzip.write(`${JSON.stringify(lineOf(exchange, written))}\n`)) await once(gzip, 'drain');
  }
  gzip.end();
  return packed;
}

/** The exchanges that `packEvidence` packed. */
export async function unpackEvidence(packed: Uint8Array): Promise<readonly Exchange[]> {
  const bodies = new Map<string, string>();
  const lines = (await inflate(packed)).toString('utf8').split('\n').slice(0, -1);
  return lines.map((text) => {
    const line = JSON.parse(text) as Line;
    if (line.kind === 'failure') return line;
    const body = line.body ?? bodies.get(line.sha256) ?? '';
    bodies.set(line.sha256, body);
    return { ...line, body };
  });
}

function lineOf(exchange: Exchange, written: Set<string>): Line {
  if (exchange.kind === 'failure') return exchange;
  if (!written.has(exchange.sha256)) {
    written.add(exchange.sha256);
    return exchange;
  }
  return { ...exchange, body: undefined };
}
