import { setImmediate } from 'node:timers/promises';
import type { ThreadLink } from './thread-link';

interface Waiting {
  readonly bytes: number;
  readonly run: (link: ThreadLink) => Promise<void>;
}

/**
 * A thread that reads for one probe at a time, for those whose own thread ended under several: what ends this one is the
 * fault of that probe alone. The shortest documents come first, since slow ones are long. It lives while there is work.
 */
export class SpareThread {
  private readonly waiting: Waiting[] = [];
  private link: ThreadLink | undefined;
  private running = false;

  constructor(private readonly newLink: () => ThreadLink) {}

  /**
   * @param bytes of the documents that are read
   * @throws what `work` throws
   */
  alone<T>(bytes: number, work: (link: ThreadLink) => Promise<T>): Promise<T> {
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
    // Those who lost one thread come here in one turn of the event loop, and then the first is chosen.
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
