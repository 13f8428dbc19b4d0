import {
  createPublicClient,
  http,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Hash,
  type PublicClient,
} from 'viem';
import { UNAVAILABLE, type Heads, type TransactionReading } from './chain-reader';

/** One call to a node; one reading makes up to seven, mostly two at a time. */
const RPC_TIMEOUT_MS = 4_000;

/** One node of a chain. All of one reading comes from it, so that receipt, block and heads belong together. */
export class ChainNode {
  private readonly client: PublicClient;

  constructor(
    private readonly chainId: number,
    rpcUrl: string,
  ) {
    const transport = http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 0 });
    this.client = createPublicClient({ transport, cacheTime: 0 });
  }

  /** @throws when the node fails */
  async read(txHash: string): Promise<TransactionReading> {
    const [node, hash] = [this.client, txHash as Hash];
    const [chainId, receipt] = await Promise.all([node.getChainId(), receiptOf(node, hash)]);
    if (chainId !== this.chainId) return UNAVAILABLE;
    if (!receipt) return { kind: (await isKnown(node, hash)) ? 'pending' : 'not_found' };
    const [block, heads] = await Promise.all([node.getBlock({ blockNumber: receipt.blockNumber }), headsOf(node)]);
    // A receipt of a block that the chain has left: the node is between two truths.
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
