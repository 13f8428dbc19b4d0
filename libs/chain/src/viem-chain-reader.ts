import type { ChainNode } from './chain-node';
import { UNAVAILABLE, type ChainReader, type TransactionLook } from './chain-reader';

/** A look at all nodes together: a buyer waits for it. */
const LOOK_MS = 12_000;

/** Nodes that must not know a hash before it is called unknown, if so many are configured. */
const WITNESSES = 2;

/** Reads through one node after the other until one knows the transaction. viem is read at the first look. */
export class ViemChainReader implements ChainReader {
  private nodes: Promise<readonly ChainNode[]> | undefined;

  constructor(
    private readonly chainId: number,
    /** RPC endpoints, best first; none reads nothing. */
    private readonly rpcUrls: readonly string[],
  ) {}

  async look(txHash: string): Promise<TransactionLook> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<TransactionLook>((resolve) => {
      timer = setTimeout(resolve, LOOK_MS, UNAVAILABLE);
    });
    try {
      return await Promise.race([this.ask(txHash), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async ask(txHash: string): Promise<TransactionLook> {
    this.nodes ??= this.open();
    const nodes = await this.nodes;
    let pending = false;
    let unknown = 0;
    for (const node of nodes) {
      const look = await node.look(txHash).catch(() => UNAVAILABLE);
      if (look.kind === 'mined') return look;
      if (look.kind === 'pending') pending = true;
      if (look.kind === 'not_found') unknown += 1;
    }
    if (pending) return { kind: 'pending' };
    const enough = nodes.length > 0 && unknown >= Math.min(WITNESSES, nodes.length);
    return enough ? { kind: 'not_found' } : UNAVAILABLE;
  }

  private async open(): Promise<readonly ChainNode[]> {
    const { ChainNode } = await import('./chain-node.js');
    return this.rpcUrls.map((url) => new ChainNode(this.chainId, url));
  }
}
