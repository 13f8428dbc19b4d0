import { randomUUID } from 'node:crypto';
import type { PulseRepository } from '@app/persistence';

const BEAT_MS = 2_000;

/** Says every two seconds that this worker lives; the gateway sells looks only while one does. */
export class Pulse {
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pulses: PulseRepository,
    private readonly concurrency: number,
    private readonly onError: (error: unknown) => void,
  ) {}

  async start(): Promise<void> {
    await this.pulses.beat(this.id, this.concurrency);
    this.timer = setInterval(() => {
      this.pulses.beat(this.id, this.concurrency).catch(this.onError);
    }, BEAT_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.pulses.stop(this.id);
  }
}
