import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A worker that has had no probe for this long is quiet, in milliseconds. */
const QUIET_MS = 3_000;

/** Growth since the last collection that is worth one, in bytes. */
const WORTH_BYTES = 32 * 1024 * 1024;

export interface IdleGcDeps {
  /** Bytes the process holds. */
  readonly held: () => number;
  readonly quietMs: number;
}

const OF_THIS_PROCESS: IdleGcDeps = { held: () => process.memoryUsage.rss(), quietMs: QUIET_MS };

/**
 * Collects garbage when a worker is quiet after probes that left much. V8 collects when memory is asked for, and so keeps
 * what a storm of hostile hosts took, unused buffers above all, until memory is asked for again.
 */
export class IdleGc {
  private running = 0;
  private timer: NodeJS.Timeout | undefined;
  /** What was held when probes began after quiet; undefined while it is quiet, as ended threads let go by and by. */
  private atRest: number | undefined;

  constructor(
    private readonly collect: () => void,
    private readonly deps: IdleGcDeps = OF_THIS_PROCESS,
  ) {}

  /** Does the work; quiet begins when nothing is being done any more. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    this.running += 1;
    this.atRest ??= this.deps.held();
    clearTimeout(this.timer);
    try {
      return await work();
    } finally {
      this.running -= 1;
      if (this.running === 0)
        this.timer = setTimeout(() => {
          this.whenQuiet();
        }, this.deps.quietMs).unref();
    }
  }

  private whenQuiet(): void {
    if (this.atRest === undefined || this.deps.held() - this.atRest < WORTH_BYTES) return;
    this.collect();
    this.atRest = undefined;
  }
}

/** V8's own collector: a flag that cannot be set in NODE_OPTIONS, and a context made after it, show it to a program. */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
