import { OPEN_STATES } from '@app/payments';
import { type Failures, PREFIX } from '@app/platform';
import type {
  DeliveryRepository,
  HeartbeatRepository,
  OpenPaymentRepository,
  ReportKeyRepository,
  RunRepository,
} from '@app/storage';
import type { ProbeProducer, ProbeQueue } from '@app/queue';
import { Gauge, type Registry } from 'prom-client';
import type { PartState } from '../health/health';

export interface ServiceStateDeps {
  readonly runs: Pick<RunRepository, 'oldestWaitSec'>;
  readonly heartbeats: Pick<HeartbeatRepository, 'capacity'>;
  readonly payments: Pick<OpenPaymentRepository, 'openByState'>;
  readonly reportKeys: Pick<ReportKeyRepository, 'signingSince'>;
  readonly alerts: Pick<DeliveryRepository, 'standing'>;
  readonly producers: Readonly<Record<ProbeQueue, Pick<ProbeProducer, 'counts'>>>;
  readonly facilitator: { state(): Promise<PartState> };
}

/**
 * Gauges shared by all processes, read at each scrape. If a dependency is down, its gauge is missing instead of failing
 * the scrape; alerts watch for its absence.
 */
export function observeServiceState(registry: Registry, deps: ServiceStateDeps, failures: Failures): void {
  registry.registerMetric(failures.counter);
  const failed = failures.of('gauge', 'could not read a gauge');
  gauge('queue_oldest_wait_seconds', 'How long the oldest run has waited for a worker.', ['queue'], async (oldest) => {
    const waits = await deps.runs.oldestWaitSec();
    for (const [queue, sec] of Object.entries(waits)) oldest.set({ queue }, sec);
  });
  gauge('queue_jobs', 'Jobs in the queue, by state.', ['queue', 'state'], async (jobs) => {
    for (const [queue, producer] of Object.entries(deps.producers)) {
      for (const [state, count] of Object.entries(await producer.counts())) jobs.set({ queue, state }, count);
    }
  });
  gauge(
    'worker_slots',
    'Probes that all running workers can make at once. With 0, no probes are sold.',
    [],
    async (slots) => {
      slots.set(await deps.heartbeats.capacity());
    },
  );
  gauge('payments_open', 'Unfinished payment attempts, by state.', ['state'], async (open) => {
    const counts = await deps.payments.openByState();
    for (const state of OPEN_STATES) open.set({ state }, counts[state] ?? 0);
  });
  gauge(
    'report_key_signs_from_seconds',
    'When the current statement key came into use, as Unix time.',
    [],
    async (since) => {
      const seconds = await deps.reportKeys.signingSince();
      if (seconds === undefined) since.remove();
      else since.set(seconds);
    },
  );
  gauge('alert_oldest_wait_seconds', 'How long the oldest due alert has waited.', [], async (oldest) => {
    oldest.set((await deps.alerts.standing()).oldestWaitSec);
  });
  gauge('watch_receivers', 'Active watches, by the state of their receiver.', ['state'], async (receivers) => {
    const { reached, failing } = await deps.alerts.standing();
    receivers.set({ state: 'reached' }, reached);
    receivers.set({ state: 'failing' }, failing);
  });
  gauge(
    'claims_lapsing',
    'Claims in grace: their record or file was not found by the last check.',
    [],
    async (lapsing) => {
      lapsing.set((await deps.alerts.standing()).claimsLapsing);
    },
  );
  gauge(
    'facilitator_up',
    '1 while payments can be verified and settled; missing if no facilitator is configured.',
    [],
    async (up) => {
      const state = await deps.facilitator.state();
      if (state === 'off') up.remove();
      else up.set(state === 'up' ? 1 : 0);
    },
  );

  function gauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => Promise<void>): void {
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        await read(this).catch((error: unknown) => {
          failed(error);
          this.reset();
          if (labelNames.length === 0) this.remove(); // a reset gauge without labels would report 0
        });
      },
    });
  }
}
