import { within } from '@app/platform';
import type { ChainNode } from './chain-node';
import { UNAVAILABLE, type ChainReader, type TransactionReading } from './chain-reader';

/** Timeout for all nodes together, because a buyer is waiting. */
const READ_MS = 12_000;

/** How many nodes must not know a hash before it counts as unknown, if that many are configured. */
const WITNESSES = 2;

/** Asks one node after the other until one knows the transaction. viem is loaded with the first transaction. */
export class ViemChainReader implements ChainReader {
  private nodes: Promise<readonly ChainNode[]> | undefined;

  constructor(
    private readonly chainId: number,
    /** RPC endpoints, best first; without any, nothing can be read. */
    private readonly rpcUrls: readonly string[],
  ) {}

  async read(txHash: string): Promise<TransactionReading> {
    return within(READ_MS, this.readAny(txHash), () => UNAVAILABLE);
  }

  private async readAny(txHash: string): Promise<TransactionReading> {
    this.nodes ??= import('./chain-node.js').then((read) =>
      this.rpcUrls.map((url) => new read.ChainNode(this.chainId, url)),
    );
    const nodes = await this.nodes;
    let pending = false;
    let unknown = 0;
    for (const node of nodes) {
      const read = await node.read(txHash).catch(() => UNAVAILABLE);
      if (read.kind === 'mined') return read;
      if (read.kind === 'pending') pending = true;
      if (read.kind === 'not_found') unknown += 1;
    }
    if (pending) return { kind: 'pending' };
    const enough = nodes.length > 0 && unknown >= Math.min(WITNESSES, nodes.length);
    return enough ? { kind: 'not_found' } : UNAVAILABLE;
  }
}
