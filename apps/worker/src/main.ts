import 'reflect-metadata';
import { ConfigError, loadConfig } from '@app/config';
import { createLogger, startMonitor } from '@app/observability';
import { WorkerMetrics } from './metrics/worker-metrics';
import { Pulse } from './pulse';
import { createWorker } from './worker.app';

async function main(): Promise<void> {
  // Started by `npm start` this process ends with its parent, however and whenever the parent ends.
  let close = (): Promise<void> => Promise.resolve();
  process.on('disconnect', () => void close().then(() => process.exit(0)));
  const config = loadConfig(process.env);
  const logger = createLogger('worker', config.logLevel);
  const app = await createWorker(config, logger);
  const [{ registry }, pulse] = [app.get(WorkerMetrics), app.get(Pulse)];
  const ready = (): Promise<boolean> => Promise.resolve(pulse.isFresh);
  const monitor = config.monitor && (await startMonitor({ ...config.monitor, registry, ready }));
  logger.info({ concurrency: config.probing.concurrency, monitor: monitor?.url }, 'worker consumes');
  close = () => app.close();
  process.send?.('ready');
}

main().catch((error: unknown) => {
  const sentence = error instanceof ConfigError ? error.message : `The worker could not start: ${String(error)}`;
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
});
