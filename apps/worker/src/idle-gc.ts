import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A worker is idle after this long without a probe, in milliseconds. */
const QUIET_MS = 3_000;

/** The growth since the last collection that makes another one worthwhile, in bytes. */
const WORTH_BYTES = 32 * 1024 * 1024;

export interface IdleGcDeps {
  /** The memory of the process, in bytes. */
  readonly held: () => number;
  readonly quietMs: number;
}

const OF_THIS_PROCESS: IdleGcDeps = { held: () => process.memoryUsage.rss(), quietMs: QUIET_MS };

/**
 * Collects garbage when a worker is idle after probes that used much memory. V8 only collects when it needs memory, so
 * otherwise the memory of a burst of hostile hosts (unused buffers above all) would stay allocated until the next load.
 */
export class IdleGc {
  private running = 0;
  private timer: NodeJS.Timeout | undefined;
  /**
   * The memory when probes started after an idle time. Undefined while idle, because ended threads release their memory
   * gradually.
   */
  private atRest: number | undefined;

  constructor(
    private readonly collect: () => void,
    private readonly deps: IdleGcDeps = OF_THIS_PROCESS,
  ) {}

  /** Runs the work. The idle time starts when no work is running. */
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

/**
 * V8's garbage collector. It becomes accessible through a flag (not allowed in NODE_OPTIONS) and a context that is
 * created after setting it.
 */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
