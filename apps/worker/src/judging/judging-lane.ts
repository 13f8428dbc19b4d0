import { SpareThread } from './spare-thread';
import { ALONE_PATIENCE_MS, type ThreadLink } from './thread-link';

/** Threads that probes of one kind share. A probe stays with its thread; a dead one is replaced for the probes that follow. */
export class JudgingLane {
  private readonly links: ThreadLink[];
  /** Probes that may have ended their thread wait for one another, and the others do not wait for them. */
  private readonly spares: { readonly suspects: SpareThread; readonly others: SpareThread };

  /** @param wornBytes of documents after which a thread with nothing to do is replaced */
  constructor(
    threads: number,
    private readonly newLink: (patienceMs?: number) => ThreadLink,
    private readonly wornBytes: number,
  ) {
    this.links = Array.from({ length: threads }, () => newLink());
    const spare = () => new SpareThread(() => newLink(ALONE_PATIENCE_MS));
    this.spares = { suspects: spare(), others: spare() };
  }

  /** @throws when a thread cannot start */
  async ready(): Promise<void> {
    await Promise.all(this.links.map((link) => link.ready()));
  }

  warm(): void {
    for (const link of this.links) link.warm();
  }

  /** A thread for one more probe: the one that has the fewest. */
  take(): ThreadLink {
    for (const [index, link] of this.links.entries()) {
      if (link.dead) this.links[index] = this.newLink();
    }
    const [first, ...others] = this.links;
    if (!first) throw new Error('no judging thread was started');
    const least = others.reduce((least, link) => (link.probes < least.probes ? link : least), first);
    least.probes += 1;
    return least;
  }

  /** The probe is over, or goes on with another thread. */
  leave(link: ThreadLink, probe: number): void {
    link.probes -= 1;
    link.forget(probe);
    this.replaceWorn(link, this.wornBytes);
  }

  /** A thread that has no other probe, for one whose thread ended: see {@link SpareThread}. */
  spare(suspect: boolean): SpareThread {
    return suspect ? this.spares.suspects : this.spares.others;
  }

  /** Ends threads that have nothing to do, and with them what their probes left in memory; new ones take their places. */
  renew(): void {
    for (const link of [...this.links]) this.replaceWorn(link, 1);
  }

  async close(): Promise<void> {
    await Promise.all([...Object.values(this.spares), ...this.links].map((thread) => thread.close()));
  }

  private replaceWorn(link: ThreadLink, wornBytes: number): void {
    const index = this.links.indexOf(link);
    if (link.probes > 0 || link.bytes < wornBytes || index === -1) return;
    this.links[index] = this.newLink();
    void link.close();
  }
}
