import type { IncomingTransfer } from './reconcile';
import { createPublicClient, fallback, http, parseAbiItem, type Address, type Hash, type PublicClient } from 'viem';
import { authorizedTransfers } from './authorized-transfers';
import { blockBefore, rangesBackwards } from './block-search';

/** A range of blocks, inclusive. */
export interface BlockRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** Port: reads incoming transfers from the chain. Its methods throw if the node does not answer. */
export interface TransferReader {
  /** Number and time (seconds) of the newest block. */
  head(): Promise<{ readonly number: bigint; readonly timestamp: bigint }>;
  /** A block at or before the given time. */
  blockBefore(time: Date): Promise<bigint>;
  timeOf(block: bigint): Promise<Date>;
  /** Transfers of the token to the account. */
  transfersTo(account: string, asset: string, range: BlockRange): Promise<readonly IncomingTransfer[]>;
  /** The block of a transaction; undefined if the chain does not have it. */
  blockOf(transaction: string): Promise<bigint | undefined>;
}

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');
const USED = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)');

const RPC_TIMEOUT_MS = 15_000;
/** Payers per query, because nodes limit the size of a filter. */
const PAYERS_PER_QUERY = 100;

/** Reads `Transfer` and `AuthorizationUsed` logs of the token, in ranges that public nodes accept. */
export class ViemTransferReader implements TransferReader {
  private readonly client: PublicClient;

  /** @param rpcUrls RPC endpoints; if one fails, the next is used */
  constructor(rpcUrls: readonly string[]) {
    const nodes = rpcUrls.map((url) => http(url, { timeout: RPC_TIMEOUT_MS, retryCount: 2 }));
    this.client = createPublicClient({ transport: fallback(nodes, { retryCount: 0 }), cacheTime: 0 });
  }

  async head(): Promise<{ readonly number: bigint; readonly timestamp: bigint }> {
    return this.client.getBlock({ includeTransactions: false });
  }

  async blockBefore(time: Date): Promise<bigint> {
    const since = BigInt(Math.floor(time.getTime() / 1_000));
    return blockBefore(since, await this.head(), async (blockNumber) => this.client.getBlock({ blockNumber }));
  }

  async timeOf(blockNumber: bigint): Promise<Date> {
    const { timestamp } = await this.client.getBlock({ blockNumber });
    return new Date(Number(timestamp) * 1_000);
  }

  async transfersTo(
    account: string,
    asset: string,
    { fromBlock, toBlock }: BlockRange,
  ): Promise<readonly IncomingTransfer[]> {
    const found: (readonly IncomingTransfer[])[] = [];
    for (const range of rangesBackwards(fromBlock, toBlock)) {
      found.unshift(await this.inRange(account as Address, asset as Address, range));
    }
    return found.flat();
  }

  async blockOf(transaction: string): Promise<bigint | undefined> {
    const receipt = await this.client.request({
      method: 'eth_getTransactionReceipt',
      params: [transaction as Hash],
    });
    return receipt ? BigInt(receipt.blockNumber) : undefined;
  }

  private async inRange(to: Address, address: Address, range: BlockRange): Promise<readonly IncomingTransfer[]> {
    const logs = await this.client.getLogs({ address, event: TRANSFER, args: { to }, strict: true, ...range });
    const payers = [...new Set(logs.map(({ args }) => args.from))];
    const groups = Array.from({ length: Math.ceil(payers.length / PAYERS_PER_QUERY) }, (_, group) =>
      payers.slice(group * PAYERS_PER_QUERY, (group + 1) * PAYERS_PER_QUERY),
    );
    const uses: Parameters<typeof authorizedTransfers>[1][number][] = [];
    for (const authorizer of groups) {
      const used = await this.client.getLogs({ address, event: USED, args: { authorizer }, strict: true, ...range });
      for (const { transactionHash: transaction, logIndex, args } of used) {
        uses.push({ transaction, logIndex, authorizer: args.authorizer, nonce: args.nonce });
      }
    }
    const transfers = logs.map(({ transactionHash: transaction, logIndex, blockNumber: block, args }) => ({
      transaction,
      logIndex,
      block,
      payer: args.from,
      amount: args.value,
    }));
    return authorizedTransfers(transfers, uses);
  }
}
