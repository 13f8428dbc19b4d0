import { processEnd } from './process-end';
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, loadConfig, unknownVariables } from '@app/config';
import { createLogger, startMonitor, startTracing } from '@app/platform';
import type { Services } from './compose';
import { createGateway } from './gateway.app';
import { SERVICES } from './gateway.module';

/** At shutdown, requests get this long to finish; no sale takes longer. */
const LONGEST_STOP_MS = 75_000;

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger('gateway', config.logLevel);
  for (const sentence of unknownVariables(process.env)) logger.warn(sentence);
  const { tracing } = config;
  const endTracing =
    tracing && (await startTracing({ ...tracing, service: 'hostprobe-gateway', trustsParents: false }));
  const app = await createGateway(config, logger);
  await app.listen(config.http.port, config.http.host);
  const { health, metrics, failures, errors, drain } = app.get<Services>(SERVICES);
  const { registry } = metrics;
  const monitor =
    config.monitor && (await startMonitor({ ...config.monitor, registry, ready: () => health.isReady() }));
  logger.info({ url: await app.getUrl(), monitor: monitor?.url }, 'gateway listens');

  processEnd.after({
    failures,
    failRequest: (request) => {
      errors.fail(request);
    },
    close: async (urgent) => {
      drain.begin();
      logger.info('gateway stops');
      await sleep(urgent ? 0 : config.drainMs);
      await app.close();
      await monitor?.close();
      await endTracing?.();
    },
    longestMs: LONGEST_STOP_MS,
  });
  process.send?.('ready');
}

main().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  const sentence = error instanceof ConfigError ? reason : `The gateway could not start: ${reason}.`;
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
});
