import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { THREAD_FILE } from './judging/judging-threads';
import { WorkerModule } from './worker.module';

/** The worker, consuming; the tests start the very same. `threadFile` is the built entry of its judging threads. */
export async function createWorker(
  config: Config,
  logger: Logger,
  threadFile: string = THREAD_FILE,
): Promise<INestApplicationContext> {
  const module = WorkerModule.with(config, logger, threadFile);
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  app.enableShutdownHooks();
  return app;
}
