/** The part of a block that a search by time needs. `timestamp` in seconds. */
export interface BlockTime {
  readonly number: bigint;
  readonly timestamp: bigint;
}

/** First step of the search, in blocks: about four minutes of Base. */
const FIRST_STEP = 128n;

/**
 * A block older than `since` (seconds), or block 0: steps back from the head in doubling strides, so that minutes cost
 * a read or two and a day about ten, whatever the chain's block time is.
 */
export async function blockBefore(
  since: bigint,
  head: BlockTime,
  read: (block: bigint) => Promise<BlockTime>,
): Promise<bigint> {
  let [block, step] = [head, FIRST_STEP];
  while (block.timestamp >= since && block.number > 0n) {
    block = await read(block.number > step ? block.number - step : 0n);
    step *= 2n;
  }
  return block.number;
}

/** Widest range of one log query that public nodes answer. */
const MAX_RANGE = 1_800n;

/** The blocks from `first` to `last`, newest first, in ranges no wider than a node answers; both ends are included. */
export function* rangesBackwards(first: bigint, last: bigint): Generator<{ fromBlock: bigint; toBlock: bigint }> {
  for (let toBlock = last; toBlock >= first; toBlock -= MAX_RANGE) {
    const fromBlock = toBlock - MAX_RANGE + 1n;
    yield { fromBlock: fromBlock > first ? fromBlock : first, toBlock };
  }
}
