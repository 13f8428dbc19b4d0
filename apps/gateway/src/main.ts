import 'reflect-metadata';
import { ConfigError, loadConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { createGateway } from './gateway.app';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger('gateway', config.logLevel);
  const app = await createGateway(config, logger);
  await app.listen(config.http.port, config.http.host);
  logger.info({ url: await app.getUrl() }, 'gateway listens');
  // Started by `npm start` this process ends with its parent, however the parent ends.
  process.on('disconnect', () => void app.close().then(() => process.exit(0)));
  process.send?.('ready');
}

main().catch((error: unknown) => {
  const sentence = error instanceof ConfigError ? error.message : `The gateway could not start: ${String(error)}`;
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
});
