import { Inject, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Services } from './compose';
import { gatewayRoutes } from './gateway.document';
import { closeConnections, startConnections } from './platform/connections';
import { controllerOf } from './routes/routes-controller';

/** The only injection token: {@link Services}. */
export const SERVICES = Symbol('Services');

/** Gives Nest the routes with their services, and starts and stops the services. */
@Module({})
export class GatewayModule implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(@Inject(SERVICES) private readonly services: Services) {}

  static of(services: Services): DynamicModule {
    const controllers = [controllerOf(gatewayRoutes(services.installation), services)];
    return { module: GatewayModule, controllers, providers: [{ provide: SERVICES, useValue: services }] };
  }

  /** @throws like {@link startConnections}, and an Error that names REPORT_SIGNING_KEY */
  async onModuleInit(): Promise<void> {
    await startConnections(this.services);
    await this.services.keys.start();
  }

  onApplicationBootstrap(): void {
    this.services.reconciler?.start();
  }

  onModuleDestroy(): void {
    this.services.events.close();
  }

  async onApplicationShutdown(): Promise<void> {
    const { reconciler, readers, cache } = this.services;
    await Promise.all([reconciler?.stop(), readers.write()]);
    cache.close();
    await closeConnections(this.services);
  }
}
