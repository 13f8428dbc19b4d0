import type { Failures } from '@app/platform';
import type { DeliveryRepository, DueDelivery } from '@app/storage';
import type { Sender } from '@app/probing';
import type { WorkerMetrics } from '../jobs/worker-metrics';
import { attempt, type AttemptDeps } from './attempt';

/**
 * How often due deliveries are taken, in milliseconds. With four at once per site, a site gets at most eight per
 * second.
 */
const ROUND_MS = 500;
/**
 * Concurrent deliveries in a worker, of which half may belong to claims. Receivers that failed or were slow have their
 * own lane and do not block the others.
 */
const LANES = [
  { failing: false, slots: 512 },
  { failing: true, slots: 128 },
] as const;
/** How many batches of deliveries are written per round, so that due ones are sent in between. */
const FAN_OUTS = 20;

interface Running extends Pick<DueDelivery, 'site' | 'hostSite' | 'free'> {
  readonly failing: boolean;
}

/**
 * Delivers alerts. Its queue is the table of deliveries, separate from those of probes, so that receivers never delay
 * probes and nothing is lost with Redis. If a worker crashes, the next one takes over its deliveries.
 */
export class AlertDelivery {
  private readonly running = new Map<Promise<void>, Running>();
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private closed = false;
  private readonly failed: (error: unknown) => void;

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly deps: AttemptDeps & { readonly sender: Sender },
    private readonly metrics: WorkerMetrics,
    failures: Failures,
  ) {
    this.failed = failures.of('alerts', 'alert delivery failed', 'error');
  }

  /** Publishes the keys of this worker and starts delivering. */
  async start(): Promise<void> {
    await this.deliveries.publish(this.deps.keys[0].published);
    this.again();
  }

  /** Stops taking deliveries and aborts running ones, which become due again at once. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.round;
    this.deps.sender.close();
    await Promise.all(this.running.keys());
  }

  private again(): void {
    if (this.closed) return;
    this.timer = setTimeout(() => {
      this.round = this.takeDue().catch(this.failed);
      void this.round.then(() => {
        this.again();
      });
    }, ROUND_MS);
  }

  /**
   * Takes deliveries in batches as long as there are some; sites or hosts that fill one batch are left out of the next.
   */
  private async takeDue(): Promise<void> {
    for (let batch = 0; batch < FAN_OUTS && (await this.deliveries.fanOut(this.failed)); batch += 1);
    const all = [...this.running.values()];
    for (const { failing, slots } of LANES) {
      for (;;) {
        const lane = all.filter((one) => one.failing === failing);
        const most = slots - lane.length;
        if (most <= 0) break;
        const taken = await this.deliveries.take({
          ...{ most, failing },
          mostFree: slots / 2 - lane.filter(({ free }) => free).length,
          running: countBy(all, ({ site }) => site),
          runningOfHosts: countBy(lane, ({ hostSite }) => hostSite),
        });
        if (taken.length === 0) break;
        for (const due of taken) {
          const { site, hostSite, free } = due;
          all.push({ site, hostSite, free, failing }); // counts until the end of the round, even if it is done earlier
          this.begin(due, failing);
        }
      }
    }
  }

  private begin(due: DueDelivery, failing: boolean): void {
    const done = this.deliver(due).catch(this.failed);
    const { site, hostSite, free } = due;
    this.running.set(done, { site, hostSite, free, failing });
    void done.then(() => this.running.delete(done));
  }

  private async deliver(due: DueDelivery): Promise<void> {
    const ended = await attempt(this.deps, due);
    if ('laterSec' in ended) {
      await this.deliveries.giveBack(due, ended.laterSec);
      return;
    }
    this.metrics.alertTried(ended.taken);
    await this.deliveries.record(due, ended);
  }
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}
