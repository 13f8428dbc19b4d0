import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { LONGEST_LINE } from './list-lines';
import { readList, type ListBatch } from './read-list';

/** A stream that is split anywhere, even within characters and line ends. */
function inPieces(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return Readable.from(pieces, { objectMode: true });
}

async function read(text: string | Buffer, size = 1_024) {
  const batches: ListBatch[] = [];
  for await (const batch of readList(inPieces(Buffer.from(text), size))) batches.push(batch);
  return {
    names: batches.flatMap(({ hosts }) => hosts.map(({ ascii }) => ascii)),
    ...(batches.at(-1)?.count ?? { lines: 0, bad: 0, examples: [] }),
  };
}

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
const names = fc.array(
  label.map((one) => `${one}.example.com`),
  { minLength: 1, maxLength: 20 },
);
/** All supported formats of a list. */
const WAYS: Readonly<Record<string, (list: readonly string[]) => string>> = {
  plain: (list) => list.join('\n'),
  'plain with a title': (list) => ['Domain', ...list].join('\n'),
  'with comments and empty lines': (list) => list.map((name) => `# about\n\n${name}\n`).join(''),
  ranked: (list) => list.map((name, at) => `${at + 1},${name}`).join('\n'),
  'ranked by origin': (list) => ['origin,rank', ...list.map((name) => `https://${name},1000`)].join('\n'),
  'a table with a header': (list) => ['id;Hostname;note', ...list.map((name) => `7;${name};x.example.org`)].join('\n'),
  'a quoted table': (list) => ['"note","domain"', ...list.map((name) => `"a, ""b""","${name}"`)].join('\n'),
  'tab separated': (list) => list.map((name) => `x\t${name}\tmore`).join('\n'),
  'JSON lines': (list) => list.map((name, rank) => JSON.stringify({ rank, domain: name })).join('\n'),
  'JSON strings': (list) => list.map((name) => JSON.stringify(name)).join('\n'),
  addresses: (list) => list.map((name) => `https://www.${name}/path?q=1`).join('\n'),
};

describe('a list of names', () => {
  it('gives the same names in every format, compression and chunking', async () => {
    const way = fc.constantFrom(...Object.keys(WAYS));
    const end = fc.constantFrom('\n', '\r\n', '\r');
    await fc.assert(
      fc.asyncProperty(names, way, end, fc.boolean(), fc.nat(40), async (list, name, ending, packed, size) => {
        const text = `\uFEFF${WAYS[name]!(list).replaceAll('\n', ending)}${ending}`;
        const seen = await read(packed ? gzipSync(text) : text, size + 1);
        expect(seen).toEqual({ names: list, lines: list.length, bad: 0, examples: [] });
      }),
    );
  });

  it('counts lines without a public host, and shows the first ones with line number and reason', async () => {
    const bad = ['localhost', '10.0.0.1', 'co.uk', 'a..example.com', '-', 'x y'];
    const seen = await read(['good.example.com', ...bad, 'also.example.com'].join('\n'));
    expect(seen).toMatchObject({ names: ['good.example.com', 'also.example.com'], lines: 8, bad: 6 });
    expect(seen.examples).toHaveLength(5);
    expect(seen.examples[0]).toEqual({
      line: 2,
      text: 'localhost',
      sentence: 'domain is not a public host name',
    });
  });

  it('counts a row without the column as bad', async () => {
    const seen = await read('rank,domain\n1,a.example.com\n2\n{}');
    expect(seen).toMatchObject({ names: ['a.example.com'], bad: 2 });
  });

  it('keeps only the start of a long line', async () => {
    const piece = Buffer.alloc(65_536, 'a');
    const endless = (function* () {
      for (let sent = 0; sent < 4_000; sent += 1) yield piece;
      yield Buffer.from('\nb.example.com');
    })();
    const before = process.memoryUsage().rss;
    let last: ListBatch | undefined;
    for await (const batch of readList(Readable.from(endless))) last = batch;
    expect(last?.hosts.map(String)).toEqual(['b.example.com']);
    expect(last?.count.bad).toBe(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1_048_576);
    expect(LONGEST_LINE).toBeLessThan(piece.length);
  });

  it('rejects a truncated gzip file', async () => {
    const packed = gzipSync('a.example.com\n'.repeat(1_000));
    await expect(read(packed.subarray(0, packed.length - 20))).rejects.toThrow(/unexpected end of file/);
  });

  it('is empty for an empty file', async () => {
    expect(await read('')).toEqual({ names: [], lines: 0, bad: 0, examples: [] });
  });
});
