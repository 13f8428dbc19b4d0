import { randomUUID } from 'node:crypto';
import type { Logger } from '@app/platform';
import type { HeartbeatRepository } from '@app/storage';

const BEAT_MS = 2_000;
/** After this long without a beat the gateways do not count on a worker, and so it is not ready. */
const ALIVE_MS = 10_000;

/** Says every two seconds that this worker lives; the gateway sells refreshes only while one does. */
export class Heartbeat {
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private beatAt = -Infinity;

  constructor(
    private readonly concurrency: number,
    private readonly logger: Logger,
    private readonly heartbeats: HeartbeatRepository,
  ) {}

  /** Whether the database took a beat of this worker lately. */
  get isFresh(): boolean {
    return performance.now() - this.beatAt < ALIVE_MS;
  }

  async start(): Promise<void> {
    await this.beat();
    this.timer = setInterval(() => {
      this.beat().catch((error: unknown) => {
        this.logger.warn({ err: error }, 'heartbeat not written');
      });
    }, BEAT_MS);
  }

  /** A worker that cannot say that it ends is forgotten when its last beat is old. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.beatAt = -Infinity;
    await this.heartbeats.stop(this.id).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'heartbeat not removed');
    });
  }

  private async beat(): Promise<void> {
    await this.heartbeats.beat(this.id, this.concurrency);
    this.beatAt = performance.now();
  }
}
