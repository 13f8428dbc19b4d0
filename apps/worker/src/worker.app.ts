import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { WorkerModule } from './worker.module';

/** The worker, consuming; the tests start the very same. */
export async function createWorker(config: Config, logger: Logger): Promise<INestApplicationContext> {
  const app = await NestFactory.createApplicationContext(WorkerModule.with(config, logger), { logger: false });
  app.enableShutdownHooks();
  return app;
}
