import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The prefix of our metrics; the runtime's metrics keep the names that prom-client gives them. */
export const PREFIX = 'hostprobe_';

/**
 * A metrics registry for one process, with the metrics of its runtime (event-loop lag, memory, file handles) and its
 * version. Every line has the name of the process.
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
