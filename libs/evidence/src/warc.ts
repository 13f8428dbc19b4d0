import { createHash } from 'node:crypto';
import type { FileBody, ReadBundle } from './bundle-file';
import { keptHash, type Line } from './lines';

type Fields = Readonly<Record<string, string | undefined>>;
type AnswerLine = Extract<Line, { kind: 'answer' }>;

/** Headers that are about a body on its way; the one in the record is decoded. Archives rename them so. */
const ON_THE_WAY: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'transfer-encoding']);
const SAME_PAYLOAD = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';

/**
 * A bundle in WARC 1.1 (ISO 28500:2017), for archives. A body that came before is a `revisit`; failures, redirects and
 * derived cells are `metadata`. The names of the records are made of the root, so the same bundle is the same file.
 */
export function warcOf({ root, head, lines, bodies }: ReadBundle): Buffer {
  const idOf = (index: number, kind: string): string => recordId(`${root} ${index} ${kind}`);
  const info = `software: ${head.prober}\r\nformat: WARC File Format 1.1\r\nhostname: ${head.domain}\r\n`;
  const first = {
    'WARC-Record-ID': idOf(0, 'info'),
    'WARC-Date': head.from,
    'Content-Type': 'application/warc-fields',
  };
  const records = [record('warcinfo', first, Buffer.from(info))];
  const seen = new Map<string, AnswerLine>();
  for (const [at, line] of lines.entries()) {
    const notes = notesOf(line);
    const own = { 'WARC-Date': line.kind === 'derived' ? head.to : line.observedAt, 'WARC-Target-URI': targetOf(line) };
    if (line.kind === 'answer') {
      const fields = { 'WARC-Record-ID': idOf(at + 1, 'response'), ...own };
      records.push(answerRecord(line, fields, bodies.get(keptHash(line)), seen.get(keptHash(line))));
      if (!seen.has(keptHash(line))) seen.set(keptHash(line), line);
    }
    if (notes === undefined) continue;
    const fields = { 'WARC-Record-ID': idOf(at + 1, 'metadata'), ...own, 'Content-Type': 'application/json' };
    records.push(record('metadata', fields, Buffer.from(JSON.stringify(notes))));
  }
  return Buffer.concat(records);
}

function targetOf(line: Line): string | undefined {
  return line.kind === 'derived' ? undefined : line.kind === 'answer' ? line.finalUrl : line.url;
}

/** What no other record of a line says. */
function notesOf(line: Line): unknown {
  if (line.kind !== 'answer') return line;
  const { method, url, redirects, requestBody } = line;
  return redirects.length > 0 || method === 'POST' ? { method, url, redirects, requestBody } : undefined;
}

function answerRecord(
  line: AnswerLine,
  fields: Fields,
  body: FileBody | undefined,
  earlier: AnswerLine | undefined,
): Buffer {
  const payload = body !== undefined && 'bytes' in body ? Buffer.from(body.bytes) : undefined;
  const cut = payload === undefined ? 'unspecified' : line.truncated ? 'length' : undefined;
  const common = {
    ...fields,
    'Content-Type': 'application/http;msgtype=response',
    'WARC-Payload-Digest': `sha256:${keptHash(line)}`,
    'WARC-Truncated': cut,
  };
  if (!earlier) return record('response', common, Buffer.concat([httpHead(line), payload ?? Buffer.alloc(0)]));
  const refers = { 'WARC-Refers-To-Target-URI': earlier.finalUrl, 'WARC-Refers-To-Date': earlier.observedAt };
  return record('revisit', { ...common, 'WARC-Profile': SAME_PAYLOAD, ...refers }, httpHead(line));
}

function httpHead({ status, headers }: AnswerLine): Buffer {
  const lines = headers.map(
    ([name, value]) => `${ON_THE_WAY.has(name) ? `x-archive-orig-${name}` : name}: ${value}\r\n`,
  );
  return Buffer.from(`HTTP/1.1 ${status} \r\n${lines.join('')}\r\n`);
}

function record(type: string, fields: Fields, block: Buffer): Buffer {
  const digest = createHash('sha256').update(block).digest('hex');
  const all: Fields = {
    'WARC-Type': type,
    ...fields,
    'WARC-Block-Digest': `sha256:${digest}`,
    'Content-Length': String(block.length),
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]));
  return Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`), block, Buffer.from('\r\n\r\n')]);
}

/** A UUID of version 8 (RFC 9562) out of a name. */
function recordId(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `<urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}>`;
}
