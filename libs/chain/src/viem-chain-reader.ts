import {
  createPublicClient,
  http,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Hash,
  type PublicClient,
} from 'viem';
import type { ChainReader, Heads, TransactionLook } from './chain-reader';

/** One call to a node; a look makes up to seven, mostly two at a time. */
const RPC_TIMEOUT_MS = 4_000;
/** A look at all nodes together: a buyer waits for it. */
const LOOK_MS = 12_000;

/** Nodes that must not know a hash before it is called unknown, if so many are configured. */
const WITNESSES = 2;

const UNAVAILABLE = { kind: 'unavailable' } as const satisfies TransactionLook;

/**
 * Reads through one node after the other until one knows the transaction. All of one look comes from the same node, so
 * that receipt, block and heads belong together.
 */
export class ViemChainReader implements ChainReader {
  private readonly nodes: readonly PublicClient[];

  constructor(
    private readonly chainId: number,
    /** RPC endpoints, best first; none reads nothing. */
    rpcUrls: readonly string[],
  ) {
    this.nodes = rpcUrls.map((url) =>
      createPublicClient({ transport: http(url, { timeout: RPC_TIMEOUT_MS, retryCount: 0 }), cacheTime: 0 }),
    );
  }

  async look(txHash: string): Promise<TransactionLook> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<TransactionLook>((resolve) => {
      timer = setTimeout(resolve, LOOK_MS, UNAVAILABLE);
    });
    try {
      return await Promise.race([this.ask(txHash as Hash), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async ask(hash: Hash): Promise<TransactionLook> {
    let pending = false;
    let unknown = 0;
    for (const node of this.nodes) {
      const look = await this.askNode(node, hash).catch(() => UNAVAILABLE);
      if (look.kind === 'mined') return look;
      if (look.kind === 'pending') pending = true;
      if (look.kind === 'not_found') unknown += 1;
    }
    if (pending) return { kind: 'pending' };
    const enough = this.nodes.length > 0 && unknown >= Math.min(WITNESSES, this.nodes.length);
    return enough ? { kind: 'not_found' } : UNAVAILABLE;
  }

  /** @throws when the node fails */
  private async askNode(node: PublicClient, hash: Hash): Promise<TransactionLook> {
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
