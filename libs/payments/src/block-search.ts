/** The data of a block that a search by time needs. `timestamp` is in seconds. */
export interface BlockTime {
  readonly number: bigint;
  readonly timestamp: bigint;
}

/** First step of the search, in blocks: about four minutes of Base. */
const FIRST_STEP = 128n;

/**
 * Finds a block older than `since` (seconds), or block 0. It steps back from the head and doubles the step each time,
 * so that minutes take one or two reads and a day about ten, with any block time.
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

/** The widest range of one log query that public nodes accept. */
const MAX_RANGE = 1_800n;

/** The blocks from `first` to `last` (inclusive), newest first, in ranges that a node accepts. */
export function* rangesBackwards(first: bigint, last: bigint): Generator<{ fromBlock: bigint; toBlock: bigint }> {
  for (let toBlock = last; toBlock >= first; toBlock -= MAX_RANGE) {
    const fromBlock = toBlock - MAX_RANGE + 1n;
    yield { fromBlock: fromBlock > first ? fromBlock : first, toBlock };
  }
}
