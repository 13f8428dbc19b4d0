import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A worker that has had no look for this long is quiet, in milliseconds. */
const QUIET_MS = 3_000;

/** Growth since the last collection that is worth one, in octets. */
const WORTH_BYTES = 32 * 1024 * 1024;

export interface QuietCollectionParts {
  readonly collect: () => void;
  /** Octets the process holds. */
  readonly held: () => number;
  readonly quietMs: number;
}

const OURS: QuietCollectionParts = { collect: collector(), held: () => process.memoryUsage.rss(), quietMs: QUIET_MS };

/**
 * Collects garbage when a worker is quiet after looks that left much. V8 collects when memory is asked for, and so keeps
 * what a storm of hostile hosts took, buffers nobody holds above all, until somebody asks again.
 */
export class QuietCollection {
  private running = 0;
  private timer: NodeJS.Timeout | undefined;
  private left: number;

  constructor(private readonly parts: QuietCollectionParts = OURS) {
    this.left = parts.held();
  }

  /** Does the work; quiet begins when nothing is being done any more. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    this.running += 1;
    clearTimeout(this.timer);
    try {
      return await work();
    } finally {
      this.running -= 1;
      if (this.running === 0)
        this.timer = setTimeout(() => {
          this.collect();
        }, this.parts.quietMs).unref();
    }
  }

  private collect(): void {
    const { collect, held } = this.parts;
    if (held() - this.left < WORTH_BYTES) return;
    collect();
    this.left = held();
  }
}

/** V8's own collector: a flag that cannot be set in NODE_OPTIONS, and a context made after it, show it to a program. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
