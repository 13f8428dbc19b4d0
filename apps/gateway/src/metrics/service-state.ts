import { PREFIX } from '@app/observability';
import type { PaymentRepository, PulseRepository, RunRepository } from '@app/persistence';
import type { ProbeProducer, ProbeQueue } from '@app/queue';
import { Gauge, type Registry } from 'prom-client';
import type { FacilitatorHealth } from '../health/facilitator-health';

export interface ServiceStateParts {
  readonly runs: Pick<RunRepository, 'oldestWaitSec'>;
  readonly pulses: Pick<PulseRepository, 'capacity'>;
  readonly payments: Pick<PaymentRepository, 'openByState'>;
  readonly producers: Readonly<Record<ProbeQueue, Pick<ProbeProducer, 'counts'>>>;
  readonly facilitator: Pick<FacilitatorHealth, 'state'>;
}

/** States of an attempt that somebody must bring further. */
const OPEN_STATES = ['received', 'verified', 'working', 'answer_stored', 'settling', 'settle_unknown'] as const;

/**
 * Gauges of what all processes share, read when a scrape asks. A part that is away makes its gauge disappear instead of
 * failing the scrape: alerts are written over its absence.
 */
export function observeServiceState(registry: Registry, parts: ServiceStateParts): void {
  gauge('queue_oldest_wait_seconds', 'How long the oldest look has waited for a worker.', ['queue'], async (oldest) => {
    const waits = await parts.runs.oldestWaitSec();
    oldest.set({ queue: 'live' }, waits.live);
    oldest.set({ queue: 'presence' }, waits.presence);
  });
  gauge('queue_jobs', 'Jobs in the queue, by state.', ['queue', 'state'], async (jobs) => {
    for (const [queue, producer] of Object.entries(parts.producers)) {
      for (const [state, count] of Object.entries(await producer.counts())) jobs.set({ queue, state }, count);
    }
  });
  gauge('worker_slots', 'Looks that all living workers can make at once; 0 sells nothing.', [], async (slots) => {
    slots.set(await parts.pulses.capacity());
  });
  gauge('payments_open', 'Payment attempts that are not at an end, by state.', ['state'], async (open) => {
    const counts = await parts.payments.openByState();
    for (const state of OPEN_STATES) open.set({ state }, counts[state] ?? 0);
  });
  gauge(
    'facilitator_up',
    '1 while payments can be verified and settled; missing when no facilitator is configured.',
    [],
    async (up) => {
      const state = await parts.facilitator.state();
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
        await read(this).catch(() => {
          this.reset();
          if (labelNames.length === 0) this.remove(); // a reset gauge without labels would say 0
        });
      },
    });
  }
}
