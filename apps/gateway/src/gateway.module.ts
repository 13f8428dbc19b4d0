import { Inject, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Services } from './compose';
import { gatewayRoutes } from './gateway.document';
import { closeConnections, startConnections } from './platform/connections';
import { controllerOf } from './routes/routes-controller';

/** The one injection token: {@link Services}. */
export const SERVICES = Symbol('Services');

/** What Nest wires: the routes of the gateway with its services, and when these start and end. */
@Module({})
export class GatewayModule implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(@Inject(SERVICES) private readonly services: Services) {}

  static of(services: Services): DynamicModule {
    const controllers = [controllerOf(gatewayRoutes(services.installation), services)];
    return { module: GatewayModule, controllers, providers: [{ provide: SERVICES, useValue: services }] };
  }

  /** @throws as {@link startConnections}, and Error that names REPORT_SIGNING_KEY */
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
