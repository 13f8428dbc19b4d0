import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Exchange } from '@app/detectors';

/** A line of an archive: an exchange, its body left out when an earlier line holds the same one. */
type Line = Exchange | (Omit<Extract<Exchange, { kind: 'answer' }>, 'body'> & { readonly body?: undefined });

const inflate = promisify(gunzip);

/** The exchanges of an archive of an earlier release: gzip of JSON lines, a body in the first line that has it. */
export async function unpackEvidence(packed: Uint8Array): Promise<readonly Exchange[]> {
  const bodies = new Map<string, string>();
  const exchanges: Exchange[] = [];
  const bytes = await inflate(packed);
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf('\n', start);
    const line = JSON.parse(bytes.toString('utf8', start, end)) as Line;
    start = end + 1;
    if (line.kind === 'answer') bodies.set(line.sha256, line.body ?? bodies.get(line.sha256) ?? '');
    exchanges.push(line.kind === 'failure' ? line : { ...line, body: bodies.get(line.sha256) ?? '' });
    await setImmediate(); // one line at a time: together they can hold the event loop for long
  }
  return exchanges;
}
