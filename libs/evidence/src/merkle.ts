import { createHash } from 'node:crypto';

/** The tree of RFC 9162 section 2.1 over SHA-256: leaves and nodes are hashed apart, and no leaf is ever doubled. */

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
/** Bytes of a hash. */
const HASH = 32;

function sha256(...pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** Hash of one entry of the tree. */
export function leafHash(entry: Uint8Array): Buffer {
  return sha256(LEAF, entry);
}

/** A tree whose every level is kept: what is asked of it is read, and nothing is hashed again. */
export class MerkleTree {
  /** From the leaves up, 32 bytes for each hash; a node without a neighbour is on the next level as it is. */
  private readonly levels: readonly Buffer[];

  constructor(leaves: readonly Uint8Array[]) {
    const levels: Buffer[] = [Buffer.concat(leaves)];
    for (let level = levels[0]; level && level.length > HASH; level = levels.at(-1)) levels.push(levelAbove(level));
    this.levels = levels;
  }

  /** 32 bytes; of no leaves it is the hash of nothing. */
  get root(): Buffer {
    const [top] = this.levels.slice(-1);
    return top?.length === HASH ? Buffer.from(top) : sha256();
  }

  /** The hashes that lead from one leaf to the root, the lowest first (RFC 9162 section 2.1.3.1). */
  path(index: number): readonly Buffer[] {
    return this.levels.flatMap((level, height) => {
      const sibling = Math.floor(index / 2 ** height) ^ 1;
      return sibling * HASH < level.length ? [hashAt(level, sibling)] : [];
    });
  }

  /** What it takes of memory. */
  get bytes(): number {
    return this.levels.reduce((sum, { length }) => sum + length, 0);
  }
}

function levelAbove(level: Buffer): Buffer {
  const count = level.length / HASH;
  return Buffer.concat(
    Array.from({ length: Math.ceil(count / 2) }, (_, at) =>
      2 * at + 1 < count ? sha256(NODE, hashAt(level, 2 * at), hashAt(level, 2 * at + 1)) : hashAt(level, 2 * at),
    ),
  );
}

function hashAt(level: Buffer, index: number): Buffer {
  return level.subarray(index * HASH, (index + 1) * HASH);
}
