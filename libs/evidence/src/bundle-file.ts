import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readJson, type Exchange } from '@app/detectors';
import { exchangesOf, rootOf, WITHHELD_REASONS, type WithheldReason } from './bundle';
import { Head, keptHash, Line } from './lines';

/** A body that a bundle names: what it is, or why it was removed; neither where its line was taken out. */
export type FileBody = { readonly bytes: Uint8Array } | { readonly withheld: WithheldReason };

/** What was read from a file of a bundle, once everything in it was found to be what it says. */
export interface ReadBundle {
  /** Hex. */
  readonly root: string;
  readonly head: Head;
  readonly lines: readonly Line[];
  readonly bodies: ReadonlyMap<string, FileBody>;
}

/** `malformed`: no bundle. `root`: a line was changed. `body`: a body is not the one that was seen. */
export class BundleError extends Error {
  constructor(
    readonly code: 'malformed' | 'root' | 'body',
    sentence: string,
  ) {
    super(sentence);
    this.name = 'BundleError';
  }
}

/** Part of no JSON, though readers of hosts pass over it. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Longest file that is read, in bytes: several times what the limits of a probe allow, however it is escaped. */
const MAX_BYTES = 32 * 1_048_576;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const BodyLine = z.union([
  z.strictObject({ body: hash, text: z.string() }),
  z.strictObject({ body: hash, base64: z.string() }),
  z.strictObject({ body: hash, withheld: z.enum(WITHHELD_REASONS) }),
]);

/** A body on a line of its own: text where it is UTF-8. */
function bodyLine(name: string, body: FileBody): string {
  if ('withheld' in body) return JSON.stringify({ body: name, withheld: body.withheld });
  const bytes = Buffer.from(body.bytes);
  const text = bytes.toString('utf8');
  return JSON.stringify({
    body: name,
    ...(Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') }),
  });
}

/** The file of a bundle: its lines, then the bodies, each with a new line. */
export function bundleText(lines: readonly string[], bodies: ReadonlyMap<string, FileBody>): string {
  return [...lines, ...[...bodies].map(([name, body]) => bodyLine(name, body))].map((line) => `${line}\n`).join('');
}

/**
 * Reads a file, and refuses one in which anything is not as it was written. A body whose line is missing is no fault:
 * its hash is still there.
 * @param root what the lines must add up to, hex, where it is known
 * @throws {BundleError}
 */
export function readBundle(file: Uint8Array, root?: string): ReadBundle {
  const texts = linesOf(file);
  const head = parsed(Head, texts[0] ?? '');
  const under = texts.slice(0, head.lines);
  if (under.length !== head.lines) throw new BundleError('malformed', 'the bundle has fewer lines than it says');
  const computed = rootOf(under);
  if (root !== undefined && root !== computed)
    throw new BundleError('root', `the lines add up to the root ${computed}`);
  const lines = under.slice(1).map((line) => parsed(Line, line));
  return { root: computed, head, lines, bodies: bodiesIn(texts.slice(head.lines), lines) };
}

/** Hashes of the bodies that lines name, in their order. */
function bodyNames(lines: readonly Line[]): readonly string[] {
  return [...new Set(lines.flatMap((line) => (line.kind === 'answer' ? [keptHash(line)] : [])))];
}

/** The exchanges of a bundle; a body that is not there reads as empty. */
export function exchangesIn({ lines, bodies }: ReadBundle): readonly Exchange[] {
  return exchangesOf(
    lines,
    new Map([...bodies].flatMap(([name, body]) => ('bytes' in body ? [[name, body.bytes] as const] : []))),
  );
}

function linesOf(file: Uint8Array): readonly string[] {
  if (file.byteLength > MAX_BYTES) throw new BundleError('malformed', 'the file is longer than a bundle ever is');
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new BundleError('malformed', 'the bundle is not UTF-8');
  if (!text.endsWith('\n')) throw new BundleError('malformed', 'the bundle ends within a line');
  return text.slice(0, -1).split('\n');
}

function bodiesIn(texts: readonly string[], lines: readonly Line[]): ReadonlyMap<string, FileBody> {
  const names = bodyNames(lines);
  const bodies = new Map<string, FileBody>();
  let at = -1;
  for (const text of texts) {
    const line = parsed(BodyLine, text);
    const body = 'text' in line ? bytesOf(line.text, 'utf8') : 'base64' in line ? bytesOf(line.base64, 'base64') : line;
    // Each at most once, in the order in which the lines name them, and written in one way only.
    const next = names.indexOf(line.body, at + 1);
    if (next === -1) throw new BundleError('body', `no line names the body ${line.body} here`);
    if (bodyLine(line.body, body) !== text)
      throw new BundleError('body', `the body ${line.body} is not written as a body is`);
    if ('bytes' in body && sha256(body.bytes) !== line.body) {
      throw new BundleError('body', `a body has not the hash ${line.body}`);
    }
    bodies.set(line.body, 'bytes' in body ? body : { withheld: body.withheld });
    at = next;
  }
  return bodies;
}

function bytesOf(text: string, encoding: 'utf8' | 'base64'): { readonly bytes: Buffer } {
  return { bytes: Buffer.from(text, encoding) };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  const json = text.startsWith(BYTE_ORDER_MARK) ? undefined : readJson(text);
  if (!json?.ok) throw new BundleError('malformed', 'a line is not JSON, or nested deeper than one ever is');
  const reading = schema.safeParse(json.value);
  if (!reading.success) throw new BundleError('malformed', 'a line is not one of a bundle');
  return reading.data;
}
