import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ProbeSession } from './probe-session';
import { JudgingPool } from './judging-pool';
import type { JudgingListener, Subject } from './task';
import { WorkerChannel } from './worker-channel';

/** The built entry file of a thread, next to this file. */
export const THREAD_FILE = join(__dirname, 'judging-thread.js');

/** Leaves one processor for the sockets. More than four threads would not be worth their memory. */
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

/** After documents of this total length, an idle thread is replaced, because only its end releases its memory. */
const WORN_BYTES = 64 * 1024 * 1024;

/**
 * The threads that parse and evaluate documents. Free probes have their own thread, so that they never delay paid ones.
 */
export class JudgingThreads {
  private readonly paid: JudgingPool;
  private readonly free: JudgingPool;
  private probes = 0;

  /** @param file the built entry file of a thread */
  constructor(
    file: string,
    private readonly listener: JudgingListener,
    wornBytes = WORN_BYTES,
  ) {
    const newLink = (patienceMs?: number) => new WorkerChannel(file, listener.onThreadEnd, patienceMs);
    this.paid = new JudgingPool(THREADS, newLink, wornBytes);
    this.free = new JudgingPool(1, newLink, wornBytes);
  }

  /** @throws if a thread cannot start */
  async ready(): Promise<this> {
    await Promise.all([this.paid.ready(), this.free.ready()]);
    return this;
  }

  /** Lets the threads of paid probes compile their code in the background, once a worker is ready. */
  warm(): void {
    this.paid.warm();
  }

  /** Runs `work` of a paid probe with its own session. */
  with<T>(subject: Subject, work: (probe: ProbeSession) => Promise<T>): Promise<T> {
    return this.within(this.paid, subject, work);
  }

  /** The same for a free probe. */
  withFree<T>(subject: Subject, work: (probe: ProbeSession) => Promise<T>): Promise<T> {
    return this.within(this.free, subject, work);
  }

  /** Replaces idle threads. */
  renew(): void {
    this.paid.renew();
    this.free.renew();
  }

  async close(): Promise<void> {
    await Promise.all([this.paid.close(), this.free.close()]);
  }

  private async within<T>(pool: JudgingPool, subject: Subject, work: (probe: ProbeSession) => Promise<T>): Promise<T> {
    this.probes += 1;
    const probe = new ProbeSession(pool, this.probes, subject, this.listener);
    try {
      return await work(probe);
    } finally {
      probe.end();
    }
  }
}
