import type { ProbeLimits } from './limits';

/** What the looks of one process may hold of strangers' documents together, beyond what each may hold in any case. */
export class DocumentPool {
  constructor(private left: number) {}

  /** Takes at most so many octets; returns how many it got. */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.left);
    this.left -= taken;
    return taken;
  }

  give(octets: number): void {
    this.left += octets;
  }
}

/**
 * What one look holds of documents. Its first megabyte is its own, so that no other look can leave it without; the rest
 * comes out of the pool while there is some, up to what a look may hold at all. What finds no room is cut, and judged as
 * a document that is too large: fifty hosts of large documents at once must not fill the memory of a worker.
 */
export class LookDocuments {
  private held = 0;
  private borrowed = 0;
  private closed = false;

  constructor(
    private readonly pool: DocumentPool,
    private readonly limits: Pick<ProbeLimits, 'ownDocumentBytes' | 'lookDocumentBytes'>,
  ) {}

  /** Makes room for so many octets more; returns for how many there is. */
  keep(octets: number): number {
    if (this.closed) return 0;
    const { ownDocumentBytes, lookDocumentBytes } = this.limits;
    const wanted = Math.min(octets, lookDocumentBytes - this.held);
    const own = Math.min(wanted, ownDocumentBytes - (this.held - this.borrowed));
    const borrowed = this.pool.take(wanted - own);
    this.held += own + borrowed;
    this.borrowed += borrowed;
    return own + borrowed;
  }

  /** Gives back the room of what is not held after all. */
  drop(octets: number): void {
    const back = Math.min(this.borrowed, octets);
    this.held -= octets;
    this.borrowed -= back;
    this.pool.give(back);
  }

  /** Gives back everything: the look is over, and keeps nothing that still comes. */
  close(): void {
    this.closed = true;
    this.drop(this.held);
  }
}
