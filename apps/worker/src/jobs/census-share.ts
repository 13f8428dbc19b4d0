import { setTimeout as delay } from 'node:timers/promises';

/**
 * Slots for free probes in a worker, so that slow ones do not take the slots of probes that a request is waiting for.
 */
export const FREE_PLACES = 4;
/** While a buyer is waiting, a census gets only this fraction of its slots. */
const SHARE_BESIDE_PAID = 4;
/** Then a running host also waits this long before each request, which is at most an eighth of a first pass. */
const GIVEN_WAY_MS = 250;

/**
 * The census slots of one worker. While paid probes are running, it starts no host beyond a quarter of them; running
 * hosts continue more slowly.
 */
export class CensusShare {
  private running = 0;
  private buyers = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly slots: number) {}

  /** Call it when a buyer starts waiting; call the returned function when that ends. */
  besideBuyer(): () => void {
    this.buyers += 1;
    return () => {
      this.buyers -= 1;
    };
  }

  /** Runs `work` as soon as a slot is free. */
  async with<T>(work: () => Promise<T>): Promise<T> {
    while (this.running >= this.room()) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      for (let free = this.room() - this.running; free > 0; free -= 1) this.waiting.shift()?.();
    }
  }

  /** Lets a buyer's probe go first, before the next request of a running host. */
  async giveWay(): Promise<void> {
    if (this.buyers > 0) await delay(GIVEN_WAY_MS);
  }

  private room(): number {
    return this.buyers > 0 ? Math.ceil(this.slots / SHARE_BESIDE_PAID) : this.slots;
  }
}
