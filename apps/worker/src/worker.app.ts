import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '@app/config';
import type { Logger } from '@app/platform';
import { THREAD_FILE } from './judging/judging-threads';
import { compose } from './compose';
import { WorkerModule } from './worker.module';

/**
 * Starts a consuming worker. The tests start the same application. `threadFile` is the built entry of its detector
 * threads.
 */
export async function createWorker(
  config: Config,
  logger: Logger,
  threadFile: string = THREAD_FILE,
): Promise<INestApplicationContext> {
  const module = WorkerModule.of(await compose(config, logger, threadFile));
  const tell = (message: unknown): void => {
    logger.error({ err: message }, 'worker failed to start or stop');
  };
  return NestFactory.createApplicationContext(module, {
    abortOnError: false,
    logger: { log: () => undefined, warn: tell, error: tell },
  });
}
