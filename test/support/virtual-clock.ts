import { setImmediate as drained } from 'node:timers/promises';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that jumps to the next awaited time when there is nothing else to do. */
export class VirtualClock {
  private sleepers: Sleeper[] = [];
  private time = 0;

  /** Milliseconds since the clock started. */
  get now(): number {
    return this.time;
  }

  at(ms: number, wake: () => void): void {
    this.sleepers.push({ at: ms, wake });
  }

  /** Resolves to true after this many milliseconds, or to false when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    if (ms <= 0) return Promise.resolve(!signal.aborted);
    return new Promise((resolve) => {
      const end = () => {
        signal.removeEventListener('abort', end);
        resolve(!signal.aborted);
      };
      signal.addEventListener('abort', end);
      this.at(this.time + ms, end);
    });
  }

  /** Advances the clock until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    const over = new AbortController();
    const end = () => {
      over.abort();
    };
    work.then(end, end);
    for (;;) {
      await drained();
      if (over.signal.aborted) return work;
      const next = this.sleepers.reduce<Sleeper | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);
      if (!next) continue; // the rest takes no time on this clock
      this.sleepers = this.sleepers.filter((sleeper) => sleeper !== next);
      this.time = Math.max(this.time, next.at);
      next.wake();
    }
  }
}
