import { createHash } from 'node:crypto';

const nodeOf = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();

/**
 * The root for a leaf and its path (RFC 9162 section 2.1.3.2), as a verifier of one line computes it.
 * @returns undefined if the path has the wrong length for a tree of that size
 */
export function rootOfPath(leaf: Buffer, index: number, size: number, path: readonly Buffer[]): Buffer | undefined {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return undefined;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (at % 2 === 1 || at === last) {
      hash = nodeOf(sibling, hash);
      // A node at the right edge has no sibling on some levels.
      for (; at % 2 === 0 && at !== 0; last = Math.floor(last / 2)) at /= 2;
    } else {
      hash = nodeOf(hash, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : undefined;
}
