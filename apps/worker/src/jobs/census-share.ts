import { setTimeout as delay } from 'node:timers/promises';

/** Places for free probes in a worker: slow ones must not take those of probes that a request waits for. */
export const FREE_PLACES = 4;
/** While somebody waits for a probe that was paid for, a census has this part of its slots. */
const SHARE_BESIDE_PAID = 4;
/** And a host that has begun waits so long before each request: of a first pass' time that is an eighth at most. */
const GIVEN_WAY_MS = 250;

/**
 * The slots of a census in one worker. Beside paid probes it begins no host beyond a quarter of them; what has
 * begun is finished, more slowly.
 */
export class CensusShare {
  private running = 0;
  private buyers = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly slots: number) {}

  /** Somebody begins to wait for a probe; the result is called when that is over. */
  besideBuyer(): () => void {
    this.buyers += 1;
    return () => {
      this.buyers -= 1;
    };
  }

  /** Runs `work` as soon as there is a slot. */
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

  /** Lets a buyer's probe go before the next request of a host that has begun. */
  async giveWay(): Promise<void> {
    if (this.buyers > 0) await delay(GIVEN_WAY_MS);
  }

  private room(): number {
    return this.buyers > 0 ? Math.ceil(this.slots / SHARE_BESIDE_PAID) : this.slots;
  }
}
