import { leafHash, MerkleTree } from '@app/evidence';

/** Bytes of a hash. */
const HASH = 32;

/** The tree over the statements of one day that is over, in the order of their hashes. */
export class DayTree {
  readonly size: number;
  private readonly hashes: Buffer;
  private readonly tree: MerkleTree;

  /** @param statements SHA-256 of each in hex, in order */
  constructor(statements: readonly string[]) {
    const entries = statements.map((sha256) => Buffer.from(sha256, 'hex'));
    this.size = entries.length;
    this.hashes = Buffer.concat(entries);
    this.tree = new MerkleTree(entries.map(leafHash));
  }

  /** In base64url, as what is signed has it. */
  get root(): string {
    return this.tree.root.toString('base64url');
  }

  /** What it takes of memory. */
  get bytes(): number {
    return this.hashes.length + this.tree.bytes;
  }

  /** Where a statement is, and the hashes that lead from it to the root. */
  inclusion(sha256: Buffer): { readonly index: number; readonly path: readonly string[] } | undefined {
    const at = this.hashes.indexOf(sha256);
    if (at % HASH !== 0) return undefined;
    const index = at / HASH;
    return { index, path: this.tree.path(index).map((hash) => hash.toString('base64url')) };
  }
}
