import { randomUUID } from 'node:crypto';
import type { PulseRepository } from '@app/persistence';

const BEAT_MS = 2_000;
/** After this long without a beat the gateways do not count on a worker, and so it is not ready. */
const ALIVE_MS = 10_000;

/** Says every two seconds that this worker lives; the gateway sells looks only while one does. */
export class Pulse {
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private beatAt = -Infinity;

  constructor(
    private readonly pulses: PulseRepository,
    private readonly concurrency: number,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Whether the database took a beat of this worker lately. */
  get isFresh(): boolean {
    return performance.now() - this.beatAt < ALIVE_MS;
  }

  async start(): Promise<void> {
    await this.beat();
    this.timer = setInterval(() => {
      this.beat().catch(this.onError);
    }, BEAT_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.beatAt = -Infinity;
    await this.pulses.stop(this.id);
  }

  private async beat(): Promise<void> {
    await this.pulses.beat(this.id, this.concurrency);
    this.beatAt = performance.now();
  }
}
