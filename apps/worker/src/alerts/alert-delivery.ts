import { Inject, Injectable } from '@nestjs/common';
import { Failures } from '@app/observability';
import { DeliveryRepository, type DueDelivery } from '@app/persistence';
import type { Sender } from '@app/probing';
import { WorkerMetrics } from '../metrics/worker-metrics';
import { attempt, type AttemptDeps } from './attempt';

/** Injection token of what attempts are made with. */
export const ATTEMPT_DEPS = Symbol('AttemptDeps');

/** What is due is taken so often, in milliseconds: with four at once for each site, a site gets at most eight in a second. */
const ROUND_MS = 500;
/** Deliveries at once in a worker: those that wait for receivers that failed before hold up no others. */
const LANES = [
  { failing: false, slots: 512 },
  { failing: true, slots: 128 },
] as const;

/**
 * Delivers alerts. Its queue is the table of deliveries, apart from those of probes, so that receivers hold up no probe
 * and nothing is lost with Redis. A worker that dies leaves what it took to the next one.
 */
@Injectable()
export class AlertDelivery {
  private readonly running = new Map<Promise<void>, { readonly site: string; readonly failing: boolean }>();
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private closed = false;
  private readonly failed: (error: unknown) => void;

  constructor(
    private readonly deliveries: DeliveryRepository,
    @Inject(ATTEMPT_DEPS) private readonly deps: AttemptDeps & { readonly sender: Sender },
    private readonly metrics: WorkerMetrics,
    failures: Failures,
  ) {
    this.failed = failures.of('alerts', 'alerts could not be delivered', 'error');
  }

  /** Publishes the keys of this worker, and delivers from now on. */
  async start(): Promise<void> {
    await this.deliveries.publish(this.deps.keys[0].published);
    this.again();
  }

  /** Takes nothing more and cuts what is being sent, which is due again at once. */
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

  /** Takes as long as there is something: a site whose backlog fills one reading is left out of the next. */
  private async takeDue(): Promise<void> {
    const used = [...this.running.values()];
    const running: Record<string, number> = {};
    for (const { site } of used) running[site] = (running[site] ?? 0) + 1;
    for (const { failing, slots } of LANES) {
      let most = slots - used.filter((one) => one.failing === failing).length;
      while (most > 0) {
        const taken = await this.deliveries.take({ most, failing, running });
        if (taken.length === 0) break;
        for (const due of taken) {
          running[due.site] = (running[due.site] ?? 0) + 1; // counts to the end of the round, also when it is done before
          this.begin(due, failing);
        }
        most -= taken.length;
      }
    }
  }

  private begin(due: DueDelivery, failing: boolean): void {
    const done = this.deliver(due).catch(this.failed);
    this.running.set(done, { site: due.site, failing });
    void done.then(() => this.running.delete(done));
  }

  private async deliver(due: DueDelivery): Promise<void> {
    const ended = await attempt(this.deps, due);
    this.metrics.alertTried(ended?.taken ?? false);
    await (ended ? this.deliveries.record(due, ended) : this.deliveries.giveBack(due));
  }
}
