import type { Exchange } from '@app/detectors';
import { HostName } from '@app/hosts';
import { exchangesOf, type WithheldReason } from './bundle';
import { Head, Line } from './lines';

/** A body of a bundle: its content, or the reason why it was removed; neither when its line is missing. */
export type FileBody = { readonly bytes: Uint8Array } | { readonly withheld: WithheldReason };

/** The verified content of a bundle file. */
export interface ReadBundle {
  /** Hex. */
  readonly root: string;
  readonly head: Head;
  readonly host: HostName;
  readonly lines: readonly Line[];
  readonly bodies: ReadonlyMap<string, FileBody>;
}

/** A body on its own line, as text when it is UTF-8. */
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
 * Reads a file that the guard's verifier finds to be a bundle, and whose lines are those of the probe of a public host.
 * @param root what the lines must add up to, hex, where it is known
 * @throws {BundleError}
 */
export async function readBundle(file: Uint8Array, root?: string): Promise<ReadBundle> {
  const { BundleError, verifyBundle } = await import('../../../packages/guard/src/verify-bundle.js');
  const bundle = await verifyBundle(file, root);
  const [head, lines] = [Head.safeParse(bundle.head), Line.array().safeParse(bundle.lines)];
  if (!head.success || !lines.success) throw new BundleError('malformed', 'a line is not valid in a bundle');
  const name = HostName.parse(head.data.domain);
  if (!name.ok) throw new BundleError('malformed', `the bundle is not about a public host: ${name.sentence}`);
  return { ...bundle, head: head.data, host: name.host, lines: lines.data };
}

/** The exchanges of a bundle; a body that is not there reads as empty. */
export function exchangesIn({ lines, bodies }: ReadBundle): readonly Exchange[] {
  return exchangesOf(
    lines,
    new Map([...bodies].flatMap(([name, body]) => ('bytes' in body ? [[name, body.bytes] as const] : []))),
  );
}
