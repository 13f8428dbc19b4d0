import { createHash } from 'node:crypto';

/**
 * The tree of RFC 9162 section 2.1 with SHA-256: leaves and nodes are hashed with different prefixes, and leaves are
 * never duplicated.
 */

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

function sha256(...pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** The hash of an entry of the tree. */
export function leafHash(entry: Uint8Array): Buffer {
  return sha256(LEAF, entry);
}

/** The root of the leaves, 32 bytes; without leaves, the hash of an empty text. */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  return levelsOf(leaves).at(-1)?.[0] ?? sha256();
}

/** The path from a leaf to the root, the lowest hash first (RFC 9162 section 2.1.3.1). */
export function merklePath(leaves: readonly Buffer[], index: number): readonly Buffer[] {
  return levelsOf(leaves).flatMap((level, height) => level[Math.floor(index / 2 ** height) ^ 1] ?? []);
}

/** All levels, from the leaves up. A node without a sibling moves up unchanged. */
function levelsOf(leaves: readonly Buffer[]): readonly (readonly Buffer[])[] {
  if (leaves.length < 2) return [leaves];
  const above = leaves.flatMap((left, at) => {
    const right = leaves[at + 1];
    return at % 2 === 1 ? [] : [right ? sha256(NODE, left, right) : left];
  });
  return [leaves, ...levelsOf(above)];
}

/** A line of a bundle with the path to its root (RFC 9162 section 2.1.3), which proves its inclusion. */
export interface IncludedLine {
  readonly alg: 'rfc9162-sha256';
  /** Hex. */
  readonly root: string;
  /** The number of the line; 0 is the head. */
  readonly index: number;
  /** The number of lines under the root. */
  readonly size: number;
  /** Exactly the hashed bytes. */
  readonly line: string;
  /** Hex, the lowest first. */
  readonly path: readonly string[];
}

/** Undefined if there is no such line. */
export function includedLine(root: string, lines: readonly string[], index: number): IncludedLine | undefined {
  const line = lines[index];
  if (line === undefined) return undefined;
  const leaves = lines.map((text) => leafHash(Buffer.from(text)));
  const path = merklePath(leaves, index).map((hash) => hash.toString('hex'));
  return { alg: 'rfc9162-sha256', root, index, size: lines.length, line, path };
}
