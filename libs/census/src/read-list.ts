import { HostName } from '@app/hosts';
import { formatOf, type NameOf } from './list-format';
import { linesOf } from './list-lines';

/** A line that names no public host. */
interface BadLine {
  /** From 1. */
  readonly line: number;
  /** As written, cut; of a stranger, so it must be made harmless before it is shown. */
  readonly text: string;
  readonly sentence: string;
}

/** What was read of a list so far. */
export interface ListCount {
  /** Lines that are not empty and no comment, a header left out. */
  readonly lines: number;
  readonly bad: number;
  /** The first bad lines. */
  readonly examples: readonly BadLine[];
}

export interface ListBatch {
  /** Names of hosts as the rest of the service writes them; the same one may come again. */
  readonly hosts: readonly HostName[];
  readonly count: ListCount;
}

const MAX_EXAMPLES = 5;
const EXAMPLE_CHARS = 80;
const NO_NAME = 'domain is missing in this line';

/**
 * Reads a list of host names: a name a line, CSV, a ranked list such as Tranco's, JSON lines; each also as gzip. Holds one
 * chunk of it at a time. Names are read as everywhere (behaviour 1.1); lines that begin with `#` are comments. The last
 * batch carries the whole count.
 * @throws what the stream throws, and an `Error` of zlib for a gzip file that is damaged or cut
 */
export async function* readList(source: AsyncIterable<Uint8Array>): AsyncGenerator<ListBatch> {
  let nameOf: NameOf | undefined;
  let at = 0;
  const count = { lines: 0, bad: 0, examples: [] as BadLine[] };
  for await (const lines of linesOf(source)) {
    const hosts: HostName[] = [];
    for (const text of lines) {
      at += 1;
      if (text.trim() === '' || text.startsWith('#')) continue;
      if (!nameOf) {
        const format = formatOf(text, (name) => HostName.parse(name).ok);
        ({ nameOf } = format);
        if (format.header) continue;
      }
      count.lines += 1;
      const name = nameOf(text);
      const reading = name === undefined ? undefined : HostName.parse(name);
      if (reading?.ok) {
        hosts.push(reading.host);
        continue;
      }
      count.bad += 1;
      if (count.examples.length === MAX_EXAMPLES) continue;
      count.examples.push({ line: at, text: text.slice(0, EXAMPLE_CHARS), sentence: reading?.sentence ?? NO_NAME });
    }
    yield { hosts, count: { ...count, examples: [...count.examples] } };
  }
}
