import { leafHash, MerkleTree } from './merkle';

/** One line of a bundle and the hashes that lead from it to the root (RFC 9162 section 2.1.3): it was there. */
export interface IncludedLine {
  readonly alg: 'rfc9162-sha256';
  /** Hex. */
  readonly root: string;
  /** Of the line, from 0: the head. */
  readonly index: number;
  /** Lines under the root. */
  readonly size: number;
  /** Byte for byte as it was hashed. */
  readonly line: string;
  /** Hex, the lowest first. */
  readonly path: readonly string[];
}

/** Undefined when there is no such line. */
export function includedLine(root: string, lines: readonly string[], index: number): IncludedLine | undefined {
  const line = lines[index];
  if (line === undefined) return undefined;
  const leaves = lines.map((text) => leafHash(Buffer.from(text)));
  const path = new MerkleTree(leaves).path(index).map((hash) => hash.toString('hex'));
  return { alg: 'rfc9162-sha256', root, index, size: lines.length, line, path };
}
