import type { ProbeLimits } from './limits';

/** Memory for documents shared by all probes of a process, in addition to each probe's own memory. */
export class DocumentPool {
  constructor(private left: number) {}

  /** Takes up to this many bytes; returns how many were available. */
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
 * The memory for documents of one probe. The first megabyte is reserved for each probe; the rest comes from the pool
 * while it lasts, up to the maximum of a probe. Documents without room are truncated and count as too large, because
 * fifty hosts with large documents must not fill the memory of a worker.
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

  /** Releases everything at the end of the probe; documents that still arrive are not kept. */
  close(): void {
    this.closed = true;
    this.drop(this.held);
  }
}
