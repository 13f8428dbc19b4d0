import type { Failures } from '@app/platform';
import type { DeliveryRepository, DueDelivery } from '@app/storage';
import type { Sender } from '@app/probing';
import type { WorkerMetrics } from '../jobs/worker-metrics';
import { attempt, type AttemptDeps } from './attempt';

/** What is due is taken so often, in milliseconds: with four at once for each site, a site gets at most eight in a second. */
const ROUND_MS = 500;
/** Deliveries at once in a worker, half of them of claims: those to receivers that failed or were slow hold up no others. */
const LANES = [
  { failing: false, slots: 512 },
  { failing: true, slots: 128 },
] as const;
/** Batches of deliveries that are written in a round, so that what waits is sent in between. */
const FAN_OUTS = 20;

interface Running extends Pick<DueDelivery, 'site' | 'hostSite' | 'free'> {
  readonly failing: boolean;
}

/**
 * Delivers alerts. Its queue is the table of deliveries, apart from those of probes, so that receivers hold up no probe
 * and nothing is lost with Redis. A worker that dies leaves what it took to the next one.
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

  /** Publishes the keys of this worker, and delivers from now on. */
  async start(): Promise<void> {
    await this.deliveries.publish(this.deps.keys[0].published);
    this.again();
  }

  /** Takes no more deliveries and aborts running ones, which are due again at once. */
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

  /** Takes as long as there is something: what fills one reading, a site or a watched host, is left out of the next. */
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
          all.push({ site, hostSite, free, failing }); // counts to the end of the round, also when it is done before
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
