import { processEnd } from './process-end';
import 'reflect-metadata';
import { ConfigError, loadConfig, unknownVariables } from '@app/config';
import { createLogger, Failures, startMonitor, startTracing } from '@app/platform';
import { JudgingThreads } from './judging/judging-threads';
import { WorkerMetrics } from './jobs/worker-metrics';
import { Heartbeat } from './heartbeat';
import { createWorker } from './worker.app';

/** Probes and their storage take less time than this. Shutdown does not wait longer. */
const LONGEST_STOP_MS = 45_000;

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger('worker', config.logLevel);
  for (const sentence of unknownVariables(process.env)) logger.warn(sentence);
  const { tracing } = config;
  const endTracing = tracing && (await startTracing({ ...tracing, service: 'hostprobe-worker', trustsParents: true }));
  const app = await createWorker(config, logger);
  const [{ registry }, heartbeat] = [app.get(WorkerMetrics), app.get(Heartbeat)];
  const ready = (): Promise<boolean> => Promise.resolve(heartbeat.isFresh);
  const monitor = config.monitor && (await startMonitor({ ...config.monitor, registry, ready }));
  logger.info({ concurrency: config.probing.concurrency, monitor: monitor?.url }, 'worker ready');
  const close = async (): Promise<void> => {
    await app.close();
    await endTracing?.();
  };
  processEnd.after({ failures: app.get(Failures), close, longestMs: LONGEST_STOP_MS });
  process.send?.('ready');
  app.get(JudgingThreads).warm();
}

main().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  const sentence = error instanceof ConfigError ? reason : `The worker could not start: ${reason}.`;
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
});
