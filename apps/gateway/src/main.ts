import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, loadConfig } from '@app/config';
import { createLogger, startMonitor } from '@app/observability';
import { createGateway } from './gateway.app';
import { HealthController } from './health/health.controller';
import { GatewayMetrics } from './metrics/gateway-metrics';
import { Drain } from './shutdown/drain';

/** A request that takes longer than the longest sale is not waited for. */
const LONGEST_STOP_MS = 75_000;

async function main(): Promise<void> {
  // Started by `npm start` this process ends with its parent, however and whenever the parent ends.
  let stop: (drainMs: number) => Promise<void> = () => Promise.resolve();
  process.on('disconnect', () => void stop(0).then(() => process.exit(0)));
  const config = loadConfig(process.env);
  const logger = createLogger('gateway', config.logLevel);
  const app = await createGateway(config, logger);
  await app.listen(config.http.port, config.http.host);
  const health = app.get(HealthController);
  const { registry } = app.get(GatewayMetrics);
  const monitor =
    config.monitor && (await startMonitor({ ...config.monitor, registry, ready: () => health.isReady() }));
  logger.info({ url: await app.getUrl(), monitor: monitor?.url }, 'gateway listens');

  stop = async (drainMs) => {
    setTimeout(() => process.exit(1), LONGEST_STOP_MS).unref();
    app.get(Drain).begin();
    logger.info('gateway stops');
    await sleep(drainMs);
    await app.close();
    await monitor?.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(config.drainMs));
  process.send?.('ready');
}

main().catch((error: unknown) => {
  const sentence = error instanceof ConfigError ? error.message : `The gateway could not start: ${String(error)}`;
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
});
