import type { Exchange } from '@app/detectors';
import { HostName } from '@app/hosts';
import { exchangesOf, type WithheldReason } from './bundle';
import { Head, Line } from './lines';

/** A body of a bundle: its content, or the reason why it was removed. It has neither if its line is missing. */
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

/** A body as a JSON line; as text if it is UTF-8. */
function bodyLine(name: string, body: FileBody): string {
  if ('withheld' in body) return JSON.stringify({ body: name, withheld: body.withheld });
  const bytes = Buffer.from(body.bytes);
  const text = bytes.toString('utf8');
  return JSON.stringify({
    body: name,
    ...(Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') }),
  });
}

/** The file of a bundle: its lines, then the bodies, one per line. */
export function bundleText(lines: readonly string[], bodies: ReadonlyMap<string, FileBody>): string {
  return [...lines, ...[...bodies].map(([name, body]) => bodyLine(name, body))].map((line) => `${line}\n`).join('');
}

/**
 * Reads a bundle file that the guard's verifier accepts and whose lines are from the probe of a public host.
 * @param root the expected root in hex, if known
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

/** The exchanges of a bundle; a missing body counts as empty. */
export function exchangesIn({ lines, bodies }: ReadBundle): readonly Exchange[] {
  return exchangesOf(
    lines,
    new Map([...bodies].flatMap(([name, body]) => ('bytes' in body ? [[name, body.bytes] as const] : []))),
  );
}
