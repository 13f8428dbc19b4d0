import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { JudgedLook } from './judged-look';
import type { Subject } from './task';
import { ThreadLink } from './thread-link';

/** The entry of a thread as built beside this file. */
export const THREAD_FILE = join(__dirname, 'judging-thread.js');

/** One processor is left to the sockets; beyond a few threads the memory is worth more than the speed. */
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

/** Octets of documents after which a thread with nothing to do is replaced: only its end gives its memory back. */
const WORN_BYTES = 64 * 1024 * 1024;

/** The threads that read and judge. A look stays with one of them; one that died is replaced for the looks that follow. */
export class JudgingThreads {
  private readonly links: ThreadLink[] = [];
  private looks = 0;

  constructor(
    private readonly file: string = THREAD_FILE,
    private readonly wornBytes = WORN_BYTES,
  ) {}

  /** @throws when a thread cannot start */
  async start(): Promise<void> {
    while (this.links.length < THREADS) this.links.push(new ThreadLink(this.file));
    await Promise.all(this.links.map((link) => link.ready()));
  }

  /** Runs `work` with a reader of its own. */
  async with<T>(subject: Subject, work: (look: JudgedLook) => Promise<T>): Promise<T> {
    const link = this.leastBusy();
    this.looks += 1;
    const number = this.looks;
    link.looks += 1;
    try {
      return await work(new JudgedLook(link, number, subject));
    } finally {
      link.looks -= 1;
      link.forget(number);
      this.replaceWorn(link);
    }
  }

  /** Ends threads that have nothing to do, and with them what their looks left in memory; new ones take their places. */
  renew(): void {
    for (const link of [...this.links]) this.replaceWorn(link, 1);
  }

  async close(): Promise<void> {
    await Promise.all(this.links.map((link) => link.close()));
  }

  private replaceWorn(link: ThreadLink, wornBytes = this.wornBytes): void {
    const index = this.links.indexOf(link);
    if (link.looks > 0 || link.bytes < wornBytes || index === -1) return;
    this.links[index] = new ThreadLink(this.file);
    void link.close();
  }

  private leastBusy(): ThreadLink {
    for (const [index, link] of this.links.entries()) {
      if (link.dead) this.links[index] = new ThreadLink(this.file);
    }
    const [first, ...others] = this.links;
    if (!first) throw new Error('no judging thread was started');
    return others.reduce((least, link) => (link.looks < least.looks ? link : least), first);
  }
}
