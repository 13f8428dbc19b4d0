import { HostName } from '@app/hosts';
import { formatOf, type NameOf } from './list-format';
import { linesOf } from './list-lines';

/** A line without a public host name. */
interface BadLine {
  /** From 1. */
  readonly line: number;
  /** The text, truncated. It comes from a stranger, so it must be sanitized before it is shown. */
  readonly text: string;
  readonly sentence: string;
}

/** The counts of a list so far. */
export interface ListCount {
  /** Lines, without empty ones, comments and the header. */
  readonly lines: number;
  readonly bad: number;
  /** The first invalid lines. */
  readonly examples: readonly BadLine[];
}

export interface ListBatch {
  /** Normalized host names, possibly with duplicates. */
  readonly hosts: readonly HostName[];
  readonly count: ListCount;
}

const MAX_EXAMPLES = 5;
const EXAMPLE_CHARS = 80;
const NO_NAME = 'domain is missing in this line';

/**
 * Reads a list of host names: one name per line, CSV, a ranked list such as Tranco's, or JSON lines; each also as gzip.
 * It holds one chunk at a time. Names follow the usual rules (behaviour 1.1); lines that start with `#` are comments.
 * The last batch has the final count.
 * @throws errors of the stream, and an `Error` of zlib for a damaged or truncated gzip file
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
