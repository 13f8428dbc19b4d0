import { blockBefore, rangesBackwards, type BlockTime } from './block-search';

/** A chain with one block per `blockSec`, from second 0. */
function chain(blocks: bigint, blockSec: bigint): { head: BlockTime; reads: bigint[]; read: typeof readBlock } {
  const reads: bigint[] = [];
  const at = (number: bigint): BlockTime => ({ number, timestamp: number * blockSec });
  function readBlock(number: bigint): Promise<BlockTime> {
    reads.push(number);
    return Promise.resolve(at(number));
  }
  return { head: at(blocks), reads, read: readBlock };
}

describe('blockBefore', () => {
  it('finds a block a few minutes ago with one read', async () => {
    const { head, reads, read } = chain(1_000_000n, 2n);
    expect(await blockBefore(head.timestamp - 200n, head, read)).toBe(999_872n);
    expect(reads).toHaveLength(1);
  });

  it('reaches a day back in at most ten reads', async () => {
    const { head, reads, read } = chain(1_000_000n, 2n);
    const first = await blockBefore(head.timestamp - 86_400n, head, read);
    expect(first * 2n).toBeLessThan(head.timestamp - 86_400n);
    expect(reads.length).toBeLessThanOrEqual(10);
  });

  it('ends at the first block of a young chain', async () => {
    const { head, read } = chain(50n, 2n);
    expect(await blockBefore(0n, head, read)).toBe(0n);
  });
});

describe('rangesBackwards', () => {
  it('covers every block once, newest first', () => {
    expect([...rangesBackwards(5n, 4_000n)]).toEqual([
      { fromBlock: 2_201n, toBlock: 4_000n },
      { fromBlock: 401n, toBlock: 2_200n },
      { fromBlock: 5n, toBlock: 400n },
    ]);
  });

  it('returns one range if the blocks fit in one', () => {
    expect([...rangesBackwards(0n, 0n)]).toEqual([{ fromBlock: 0n, toBlock: 0n }]);
  });
});
