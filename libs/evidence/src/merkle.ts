import { createHash } from 'node:crypto';

/** The tree of RFC 9162 section 2.1 over SHA-256: leaves and nodes are hashed apart, and no leaf is ever doubled. */

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

function sha256(...pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** Hash of one entry of the tree. */
export function leafHash(entry: Uint8Array): Buffer {
  return sha256(LEAF, entry);
}

/** The root over leaves, 32 bytes; of no leaves it is the hash of nothing. */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  return levelsOf(leaves).at(-1)?.[0] ?? sha256();
}

/** The hashes that lead from one leaf to the root, the lowest first (RFC 9162 section 2.1.3.1). */
export function merklePath(leaves: readonly Buffer[], index: number): readonly Buffer[] {
  return levelsOf(leaves).flatMap((level, height) => level[Math.floor(index / 2 ** height) ^ 1] ?? []);
}

/** From the leaves up; a node without a neighbour is on the next level as it is. */
function levelsOf(leaves: readonly Buffer[]): readonly (readonly Buffer[])[] {
  if (leaves.length < 2) return [leaves];
  const above = leaves.flatMap((left, at) => {
    const right = leaves[at + 1];
    return at % 2 === 1 ? [] : [right ? sha256(NODE, left, right) : left];
  });
  return [leaves, ...levelsOf(above)];
}

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
  const path = merklePath(leaves, index).map((hash) => hash.toString('hex'));
  return { alg: 'rfc9162-sha256', root, index, size: lines.length, line, path };
}
