import { setImmediate } from 'node:timers/promises';
import { ALONE_TIMEOUT_MS, type WorkerChannel } from './worker-channel';

interface Waiting {
  readonly bytes: number;
  readonly run: (link: WorkerChannel) => Promise<void>;
}

/**
 * A thread that reads for one probe at a time, for those whose own thread ended under several: what ends this one is the
 * fault of that probe alone. The shortest documents come first, since slow ones are long. It lives while there is work.
 */
class IsolatedThread {
  private readonly waiting: Waiting[] = [];
  private link: WorkerChannel | undefined;
  private running = false;

  constructor(private readonly newLink: () => WorkerChannel) {}

  /**
   * @param bytes of the documents that are read
   * @throws what `work` throws
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
    // All probes that lost the same thread come here in one turn of the event loop; the first one chooses the next thread.
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

/** Threads that probes of one kind share. A probe stays with its thread; a dead one is replaced for the probes that follow. */
export class JudgingPool {
  private readonly links: WorkerChannel[];
  /** Probes that may have ended their thread wait for one another, and the others do not wait for them. */
  private readonly spares: { readonly suspectHosts: IsolatedThread; readonly others: IsolatedThread };

  /** @param wornBytes of documents after which a thread with nothing to do is replaced */
  constructor(
    threads: number,
    private readonly newLink: (patienceMs?: number) => WorkerChannel,
    private readonly wornBytes: number,
  ) {
    this.links = Array.from({ length: threads }, () => newLink());
    const spare = () => new IsolatedThread(() => newLink(ALONE_TIMEOUT_MS));
    this.spares = { suspectHosts: spare(), others: spare() };
  }

  /** @throws when a thread cannot start */
  async ready(): Promise<void> {
    await Promise.all(this.links.map((link) => link.ready()));
  }

  warm(): void {
    for (const link of this.links) link.warm();
  }

  /** A thread for one more probe: the one that has the fewest. */
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

  /** The probe is over, or continues on another thread. */
  leave(link: WorkerChannel, probe: number): void {
    link.probes -= 1;
    link.forget(probe);
    this.replaceWorn(link, this.wornBytes);
  }

  /** A thread that has no other probe, for one whose thread ended: see {@link IsolatedThread}. */
  spare(suspect: boolean): IsolatedThread {
    return suspect ? this.spares.suspectHosts : this.spares.others;
  }

  /** Ends threads that have nothing to do, and with them what their probes left in memory; new ones take their places. */
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
