import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { rootOfPath } from '../../../test/support/root-of-path';
import { leafHash, merklePath, merkleRoot } from './merkle';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Entries and roots of the reference implementation of RFC 6962, which has the same tree as RFC 9162. */
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** Root and path by the recursive definition in RFC 9162 (sections 2.1.1 and 2.1.3.1). */
function rootByHalves(leaves: readonly Buffer[]): Buffer {
  if (leaves.length < 2) return leaves[0] ?? createHash('sha256').digest();
  const half = 2 ** Math.floor(Math.log2(leaves.length - 1));
  const [left, right] = [rootByHalves(leaves.slice(0, half)), rootByHalves(leaves.slice(half))];
  return createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
}
function pathByHalves(index: number, leaves: readonly Buffer[]): readonly Buffer[] {
  if (leaves.length < 2) return [];
  const half = 2 ** Math.floor(Math.log2(leaves.length - 1));
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  return index < half
    ? [...pathByHalves(index, left), rootByHalves(right)]
    : [...pathByHalves(index - half, right), rootByHalves(left)];
}

describe('the Merkle tree', () => {
  it('has the root and the paths that RFC 9162 defines', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.nat(), (size, at) => {
        const leaves = Array.from({ length: size }, (_, index) => leafHash(Buffer.from(String(index))));
        expect(merkleRoot(leaves)).toEqual(rootByHalves(leaves));
        if (size > 0) expect(merklePath(leaves, at % size)).toEqual(pathByHalves(at % size, leaves));
      }),
      { numRuns: 100 },
    );
  });

  it.each(ROOTS.map((root, size) => [size, root] as const))('of %i entries has the published root', (size, root) => {
    const leaves = ENTRIES.slice(0, size).map((entry) => leafHash(hex(entry)));
    expect(merkleRoot(leaves).toString('hex')).toBe(root);
  });

  it('verifies the path of every leaf, and no other index, size, leaf or path', () => {
    const tree = fc
      .array(fc.uint8Array({ maxLength: 8 }), { minLength: 1, maxLength: 40 })
      .chain((entries) => fc.tuple(fc.constant(entries), fc.nat(entries.length - 1), fc.nat(255), fc.nat(31)));
    fc.assert(
      fc.property(tree, ([entries, index, flip, at]) => {
        const leaves = entries.map(leafHash);
        const [root, path] = [merkleRoot(leaves), merklePath(leaves, index)];
        const leaf = leaves[index]!;
        const leads = (...[hash, i, size, steps]: Parameters<typeof rootOfPath>): boolean =>
          rootOfPath(hash, i, size, steps)?.equals(root) ?? false;
        expect(leads(leaf, index, leaves.length, path)).toBe(true);
        const changed = Buffer.from(leaf);
        changed[at]! ^= flip === 0 ? 1 : flip;
        expect(leads(changed, index, leaves.length, path)).toBe(false);
        expect(leads(leaf, index, leaves.length, [...path, leaf])).toBe(false);
        if (path.length > 0) expect(leads(leaf, index, leaves.length, path.slice(1))).toBe(false);
        for (const other of [-1, leaves.length, index + 0.5, Number.NaN]) {
          expect(leads(leaf, other, leaves.length, path)).toBe(false);
        }
      }),
    );
  });

  it('distinguishes a node from an entry with the bytes of its two children', () => {
    const [a, b] = [leafHash(hex('00')), leafHash(hex('10'))];
    expect(leafHash(Buffer.concat([a, b])).equals(merkleRoot([a, b]))).toBe(false);
  });
});
