import { setImmediate } from 'node:timers/promises';
import { ALONE_TIMEOUT_MS, type WorkerChannel } from './worker-channel';

interface Waiting {
  readonly bytes: number;
  readonly run: (link: WorkerChannel) => Promise<void>;
}

/**
 * A thread for one probe at a time. When a shared thread crashed, each of its probes moves to such a thread, where a
 * crash affects that probe only. Probes with the shortest documents go first, because long ones are slow. It only
 * exists while there is work.
 */
class IsolatedThread {
  private readonly waiting: Waiting[] = [];
  private link: WorkerChannel | undefined;
  private running = false;

  constructor(private readonly newLink: () => WorkerChannel) {}

  /**
   * @param bytes total length of the documents
   * @throws errors of `work`
   */
  alone<T>(bytes: number, work: (link: WorkerChannel) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ bytes, run: (link) => work(link).then(resolve, reject) });
      if (!this.running) void this.run();
    });
  }

  async close(): Promise<void> {
    const { link } = this;
    this.link = undefined;
    await link?.close();
  }

  private async run(): Promise<void> {
    this.running = true;
    // All probes of a crashed thread arrive here in one turn of the event loop; the first one chooses the next thread.
    await setImmediate();
    for (let next = this.shortest(); next; next = this.shortest()) {
      if (!this.link || this.link.dead) this.link = this.newLink();
      await next.run(this.link);
    }
    this.running = false;
    await this.close();
  }

  private shortest(): Waiting | undefined {
    const [first, ...others] = this.waiting;
    if (!first) return undefined;
    const shortest = others.reduce((least, one) => (one.bytes < least.bytes ? one : least), first);
    this.waiting.splice(this.waiting.indexOf(shortest), 1);
    return shortest;
  }
}

/** Threads shared by probes of one kind. A probe stays on its thread; a crashed thread is replaced for later probes. */
export class JudgingPool {
  private readonly links: WorkerChannel[];
  /** Probes that may have crashed their thread wait for one another, but the others do not wait for them. */
  private readonly spares: { readonly suspectHosts: IsolatedThread; readonly others: IsolatedThread };

  /** @param wornBytes total length of documents after which an idle thread is replaced */
  constructor(
    threads: number,
    private readonly newLink: (patienceMs?: number) => WorkerChannel,
    private readonly wornBytes: number,
  ) {
    this.links = Array.from({ length: threads }, () => newLink());
    const spare = () => new IsolatedThread(() => newLink(ALONE_TIMEOUT_MS));
    this.spares = { suspectHosts: spare(), others: spare() };
  }

  /** @throws if a thread cannot start */
  async ready(): Promise<void> {
    await Promise.all(this.links.map((link) => link.ready()));
  }

  warm(): void {
    for (const link of this.links) link.warm();
  }

  /** The thread with the fewest probes, for another one. */
  take(): WorkerChannel {
    for (const [index, link] of this.links.entries()) {
      if (link.dead) this.links[index] = this.newLink();
    }
    const [first, ...others] = this.links;
    if (!first) throw new Error('no judging thread is running');
    const least = others.reduce((least, link) => (link.probes < least.probes ? link : least), first);
    least.probes += 1;
    return least;
  }

  /** Call it when a probe is over or continues on another thread. */
  leave(link: WorkerChannel, probe: number): void {
    link.probes -= 1;
    link.forget(probe);
    this.replaceWorn(link, this.wornBytes);
  }

  /** A thread without other probes, for a probe whose thread crashed: see {@link IsolatedThread}. */
  spare(suspect: boolean): IsolatedThread {
    return suspect ? this.spares.suspectHosts : this.spares.others;
  }

  /** Replaces idle threads, to release the memory that their probes left. */
  renew(): void {
    for (const link of [...this.links]) this.replaceWorn(link, 1);
  }

  async close(): Promise<void> {
    await Promise.all([...Object.values(this.spares), ...this.links].map((thread) => thread.close()));
  }

  private replaceWorn(link: WorkerChannel, wornBytes: number): void {
    const index = this.links.indexOf(link);
    if (link.probes > 0 || link.bytes < wornBytes || index === -1) return;
    this.links[index] = this.newLink();
    void link.close();
  }
}
