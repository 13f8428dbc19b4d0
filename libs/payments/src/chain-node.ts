import {
  createPublicClient,
  http,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Hash,
  type PublicClient,
} from 'viem';
import { UNAVAILABLE, type Heads, type TransactionReading } from './chain-reader';

/** Timeout of one call to a node. One reading makes up to seven calls, mostly two at a time. */
const RPC_TIMEOUT_MS = 4_000;

/** One node of a chain. All data of a reading comes from one node, so that receipt, block and heads are consistent. */
export class ChainNode {
  private readonly client: PublicClient;

  constructor(
    private readonly chainId: number,
    rpcUrl: string,
  ) {
    const transport = http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 0 });
    this.client = createPublicClient({ transport, cacheTime: 0 });
  }

  /** @throws if the node fails */
  async read(txHash: string): Promise<TransactionReading> {
    const [node, hash] = [this.client, txHash as Hash];
    const [chainId, receipt] = await Promise.all([node.getChainId(), receiptOf(node, hash)]);
    if (chainId !== this.chainId) return UNAVAILABLE;
    if (!receipt) return { kind: (await isKnown(node, hash)) ? 'pending' : 'not_found' };
    const [block, heads] = await Promise.all([node.getBlock({ blockNumber: receipt.blockNumber }), headsOf(node)]);
    // The receipt is from a block that was reorganized away; the node is changing its state right now.
    if (block.hash !== receipt.blockHash) return UNAVAILABLE;
    const { status, blockNumber, logs } = receipt;
    return { kind: 'mined', transaction: { status, blockNumber, logs }, heads };
  }
}

async function receiptOf(node: PublicClient, hash: Hash) {
  try {
    return await node.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

async function isKnown(node: PublicClient, hash: Hash): Promise<boolean> {
  try {
    await node.getTransaction({ hash });
    return true;
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return false;
    throw error;
  }
}

async function headsOf(node: PublicClient): Promise<Heads> {
  const heightOf = (blockTag: 'safe' | 'finalized'): Promise<bigint | null> =>
    node.getBlock({ blockTag }).then(
      ({ number }) => number,
      () => null,
    );
  const [latest, safe, finalized] = await Promise.all([
    node.getBlockNumber({ cacheTime: 0 }),
    heightOf('safe'),
    heightOf('finalized'),
  ]);
  return { latest, safe, finalized };
}
