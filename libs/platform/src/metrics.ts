import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The first part of every name of this service; the runtime's metrics keep the names prom-client gives them. */
export const PREFIX = 'hostprobe_';

/**
 * A registry of its own for one process, with what the runtime says of itself (event-loop lag, memory, file handles)
 * and which version runs. Every line names the process.
 */
export function openMetrics(process: 'gateway' | 'worker', version: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: `${PREFIX}build_info`,
    help: 'Always 1; the labels give the running version.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return registry;
}
