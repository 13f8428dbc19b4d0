import {
  type BlockRange,
  type TransferReader,
  reconcile,
  type IncomingTransfer,
  type LedgerEntry,
  type Reconciliation,
} from '@app/payments';
import type { LedgerAuditRepository, LedgerScope } from '@app/storage';
import type { BlockBounds } from '../terminal/command';

export interface LedgerCheckDeps {
  readonly scope: LedgerScope;
  readonly ledger: Pick<LedgerAuditRepository, 'oldest' | 'entries'>;
  readonly chain: TransferReader;
}

export interface LedgerReport extends Reconciliation {
  readonly range: BlockRange;
}

/**
 * How much the time of a payment may differ between ledger and chain: clocks differ, and a payer may use an
 * authorization on the chain before sending it to us.
 */
const SLACK_MS = 3_600_000;
/** If the ledger is empty, the last day of the chain is checked for unexpected transfers. */
const EMPTY_LEDGER_MS = 86_400_000;

/**
 * Compares the ledger, the stored answers and the chain. The chain is read first: payments that enter the ledger
 * meanwhile settle in later blocks, which are left out.
 * @throws if the database or the node does not answer
 */
export async function checkLedger(deps: LedgerCheckDeps, bounds: BlockBounds): Promise<LedgerReport> {
  const { scope, ledger, chain } = deps;
  const range = await rangeOf(deps, bounds);
  const transfers = await chain.transfersTo(scope.payTo, scope.asset, range);
  const [first, last] = await Promise.all([chain.timeOf(range.fromBlock), chain.timeOf(range.toBlock)]);
  const [since, until] = [new Date(first.getTime() - SLACK_MS), new Date(last.getTime() + SLACK_MS)];
  const entries = await ledger.entries(scope, since, until);
  const inRange = await withoutOtherBlocks(entries, transfers, range, chain);
  return { range, ...reconcile(inRange, transfers) };
}

async function rangeOf({ scope, ledger, chain }: LedgerCheckDeps, bounds: BlockBounds): Promise<BlockRange> {
  const head = await chain.head();
  const toBlock = bounds.toBlock ?? head.number;
  if (toBlock > head.number) throw new Error(`the chain has no block ${toBlock} yet; its newest is ${head.number}`);
  if (bounds.fromBlock !== undefined) {
    if (bounds.fromBlock > toBlock) throw new Error(`block ${bounds.fromBlock} is after block ${toBlock}`);
    return { fromBlock: bounds.fromBlock, toBlock };
  }
  const oldest = await ledger.oldest(scope);
  const since = oldest ? oldest.getTime() - SLACK_MS : Number(head.timestamp) * 1_000 - EMPTY_LEDGER_MS;
  const first = await chain.blockBefore(new Date(since));
  return { fromBlock: first < toBlock ? first : toBlock, toBlock };
}

const HASH = /^0x[0-9a-f]{64}$/i;
/** The number of receipts requested at once. */
const LOOKUPS = 20;

/**
 * Leaves out settled entries whose transaction is in a block outside the range. An entry whose transaction is not on
 * the chain is kept.
 */
async function withoutOtherBlocks(
  entries: readonly LedgerEntry[],
  transfers: readonly IncomingTransfer[],
  { fromBlock, toBlock }: BlockRange,
  chain: TransferReader,
): Promise<readonly LedgerEntry[]> {
  const seen = new Set(transfers.map(({ transaction }) => transaction.toLowerCase()));
  const doubtful = entries.filter(
    ({ state, transaction }) =>
      state === 'settled' && transaction && HASH.test(transaction) && !seen.has(transaction.toLowerCase()),
  );
  const outside = new Set<LedgerEntry>();
  for (let at = 0; at < doubtful.length; at += LOOKUPS) {
    await Promise.all(
      doubtful.slice(at, at + LOOKUPS).map(async (entry) => {
        const block = await chain.blockOf(entry.transaction ?? '');
        if (block !== undefined && (block < fromBlock || block > toBlock)) outside.add(entry);
      }),
    );
  }
  return entries.filter((entry) => !outside.has(entry));
}
