import type { ProbeLimits } from './limits';

/** Memory for documents that all probes of one process share, in addition to what each has for itself. */
export class DocumentPool {
  constructor(private left: number) {}

  /** Takes up to this many bytes; returns how many it got. */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.left);
    this.left -= taken;
    return taken;
  }

  give(bytes: number): void {
    this.left += bytes;
  }
}

/**
 * What one probe holds of documents. Its first megabyte is its own, so that no other probe can take it; the rest
 * comes out of the pool while there is some, up to what a probe may hold at all. What finds no room is cut, and judged as
 * a document that is too large: fifty hosts of large documents at once must not fill the memory of a worker.
 */
export class ProbeDocuments {
  private held = 0;
  private borrowed = 0;
  private closed = false;

  constructor(
    private readonly pool: DocumentPool,
    private readonly limits: Pick<ProbeLimits, 'ownDocumentBytes' | 'probeDocumentBytes'>,
  ) {}

  /** Reserves this many more bytes; returns how many are available. */
  keep(bytes: number): number {
    if (this.closed) return 0;
    const { ownDocumentBytes, probeDocumentBytes } = this.limits;
    const wanted = Math.min(bytes, probeDocumentBytes - this.held);
    const own = Math.min(wanted, ownDocumentBytes - (this.held - this.borrowed));
    const borrowed = this.pool.take(wanted - own);
    this.held += own + borrowed;
    this.borrowed += borrowed;
    return own + borrowed;
  }

  /** Releases reserved bytes that are not needed. */
  drop(bytes: number): void {
    const back = Math.min(this.borrowed, bytes);
    this.held -= bytes;
    this.borrowed -= back;
    this.pool.give(back);
  }

  /** Gives back everything: the probe is over, and keeps nothing that still comes. */
  close(): void {
    this.closed = true;
    this.drop(this.held);
  }
}
