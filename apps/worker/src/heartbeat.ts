import { randomUUID } from 'node:crypto';
import type { Logger } from '@app/platform';
import type { HeartbeatRepository } from '@app/storage';

const BEAT_MS = 2_000;
/** After this time without a heartbeat, gateways stop counting on a worker, so it is not ready. */
const ALIVE_MS = 10_000;

/** Writes a heartbeat every two seconds; the gateways sell refreshes only while a worker is running. */
export class Heartbeat {
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private beatAt = -Infinity;

  constructor(
    private readonly concurrency: number,
    private readonly logger: Logger,
    private readonly heartbeats: HeartbeatRepository,
  ) {}

  /** Whether the database recently stored a heartbeat of this worker. */
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

  /** If a worker cannot remove its heartbeat, it counts as stopped when that gets old. */
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
