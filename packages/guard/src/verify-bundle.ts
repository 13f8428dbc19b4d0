import { base64Of, bytesIn, hexOf, objectIn, sha256, textIn, urlBase64Of, urlBytesIn } from './encoding.js';
import { isObject, type JsonObject } from './payment.js';
import type { StatementMembers } from './verify-statement.js';

/**
 * `malformed`: not a bundle. `root`: a line was changed. `body`: a body was changed. The others: the statement has no
 * evidence, or is about another bundle or report.
 */
export type BundleFault = 'malformed' | 'root' | 'body' | 'no_evidence' | 'subject' | 'bytes';

/** A bundle that differs from the signed one. */
export class BundleError extends Error {
  override readonly name = 'BundleError';

  constructor(
    readonly code: BundleFault,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** A body of a bundle: its bytes, or why it was removed. */
export type BundleBody = { readonly bytes: Uint8Array } | { readonly withheld: (typeof WITHHELD_REASONS)[number] };

/** A bundle that passed verification. */
export interface VerifiedBundle {
  /** Hex. */
  readonly root: string;
  readonly head: JsonObject;
  /** The lines under the root, without the head. */
  readonly lines: readonly JsonObject[];
  readonly bodies: ReadonlyMap<string, BundleBody>;
}

/** The largest file that is read, in bytes: several times the limits of a probe, with any escaping. */
const MAX_BYTES = 32 * 1_048_576;
const MAX_LINES = 9_999;
const WITHHELD_REASONS = ['private_key', 'opt_out', 'legal'] as const;
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Reads a bundle file, and rejects one with any change. A missing body is not a fault, because its hash is still there.
 * @param root the expected root in hex, if known
 * @throws {BundleError}
 */
export async function verifyBundle(file: Uint8Array, root?: string): Promise<VerifiedBundle> {
  if (file.length > MAX_BYTES) throw new BundleError('malformed', 'the file is too large for a bundle');
  const text = textIn(file) ?? '';
  if (!text.endsWith('\n')) throw new BundleError('malformed', 'the bundle is not UTF-8, or ends within a line');
  const texts = text.slice(0, -1).split('\n');
  const count = objectIn(texts[0] ?? '')?.['lines'];
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > Math.min(texts.length, MAX_LINES))
    throw new BundleError('malformed', 'the number of lines does not match the head');
  const under = texts.slice(0, count);
  const computed = hexOf(await rootOf(await Promise.all(under.map((line) => sha256(LEAF, utf8(line))))));
  if (root !== undefined && root !== computed) throw new BundleError('root', `the lines have the root ${computed}`);
  const [head = {}, ...lines] = under.map(lineIn);
  return { root: computed, head, lines, bodies: await bodiesIn(texts.slice(count), lines.map(bodyNamed)) };
}

/**
 * Checks that a statement is about this bundle, and about the report if given.
 * @throws {BundleError}
 */
export async function verifyEvidence(
  { root, head }: Pick<VerifiedBundle, 'root' | 'head'>,
  { evidence, sub, report }: StatementMembers,
  reportFile?: Uint8Array,
): Promise<void> {
  if (!evidence) throw new BundleError('no_evidence', 'the statement contains no evidence');
  if (hexOf(urlBytesIn(evidence.root) ?? Uint8Array.of()) !== root)
    throw new BundleError('root', 'the statement has another root');
  if (evidence.n !== head['lines']) throw new BundleError('subject', 'the statement has another number of lines');
  if (sub !== head['origin']) throw new BundleError('subject', 'the statement is about another host');
  if (reportFile && urlBase64Of(await sha256(reportFile)) !== report?.sha256)
    throw new BundleError('bytes', 'the statement is about another report');
}

/** The tree of RFC 9162 section 2.1, level by level: a node without a sibling moves up. */
async function rootOf(level: readonly Uint8Array[]): Promise<Uint8Array> {
  if (level.length < 2) return level[0] ?? Uint8Array.of();
  const above = level.flatMap((left, at) => {
    const right = level[at + 1];
    return at % 2 === 1 ? [] : [right ? sha256(NODE, left, right) : Promise.resolve(left)];
  });
  return rootOf(await Promise.all(above));
}

function lineIn(text: string): JsonObject {
  const line = objectIn(text);
  if (!line || ('kept' in line && typeof bodyNamed(line) !== 'string'))
    throw new BundleError('malformed', 'a line is not JSON, or is nested too deeply');
  return line;
}

/** The hash of the body in a line. */
function bodyNamed(line: JsonObject): unknown {
  const of = 'kept' in line ? line['kept'] : line;
  return isObject(of) ? of['sha256'] : undefined;
}

async function bodiesIn(texts: readonly string[], lines: readonly unknown[]): Promise<VerifiedBundle['bodies']> {
  const names = [...new Set(lines)];
  const bodies = new Map<string, BundleBody>();
  let last = -1;
  for (const text of texts) {
    const [name, body] = await bodyIn(text);
    // Each at most once, in the order of their first mention in the lines.
    last = names.indexOf(name, last + 1);
    if (last < 0) throw new BundleError('body', `no line refers to the body ${name} at this position`);
    bodies.set(name, body);
  }
  return bodies;
}

/** The line of a body has a single valid form: text if the bytes are UTF-8. */
async function bodyIn(line: string): Promise<readonly [name: string, body: BundleBody]> {
  const { body: name, ...of } = objectIn(line) ?? {};
  const [[kind, value] = [], ...more] = Object.entries(of);
  const reason = WITHHELD_REASONS.find((one) => kind === 'withheld' && one === value);
  const isBody = typeof value === 'string' && (kind === 'text' || kind === 'base64');
  if (typeof name !== 'string' || !/^[0-9a-f]{64}$/.test(name) || !(reason ?? isBody) || more.length > 0)
    throw new BundleError('malformed', 'a line is not valid in a bundle');
  const bytes = kind === 'base64' ? bytesIn(String(value)) : utf8(String(value));
  const text = textIn(bytes);
  const written = reason ? { withheld: reason } : text === undefined ? { base64: base64Of(bytes ?? LEAF) } : { text };
  if (!bytes || JSON.stringify({ body: name, ...written }) !== line)
    throw new BundleError('body', `the line of the body ${name} is not in canonical form`);
  if (reason) return [name, { withheld: reason }];
  if (hexOf(await sha256(bytes)) !== name) throw new BundleError('body', `a body does not have the hash ${name}`);
  return [name, { bytes }];
}
