import { Inject, Module, type DynamicModule, type InjectionToken, type OnModuleInit } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { Failures } from '@app/platform';
import { Database, RunRepository, StatementRepository, SubscriptionRepository } from '@app/storage';
import { Subscribers } from './checkout/subscribers';
import type { Services } from './compose';
import { gatewayRoutes } from './gateway.document';
import { ErrorFilter } from './http/error.filter';
import { RateLimits } from './http/rate-limits';
import { Claims } from './owners/claims';
import { OwnerProbes } from './owners/owner-probes';
import { Watches } from './owners/watches';
import { PAGE_DEPS } from './pages/page-definition';
import { PagesController } from './pages/pages.controller';
import { closeConnections, startConnections } from './platform/connections';
import { Drain } from './platform/health/drain';
import { Health } from './platform/health/health';
import { GatewayMetrics } from './platform/metrics/gateway-metrics';
import { RunEvents } from './probing-client/run-events';
import { HostsController } from './products/hosts.controller';
import { ReportController } from './products/report.controller';
import { Sales } from './products/sales';
import { ChangeHistory } from './reports/change-history';
import { HostReportsService } from './reports/host-reports.service';
import { PayableHostsList } from './reports/payable-hosts';
import { ReportForms } from './reports/report-forms';
import { controllerOf } from './routes/routes-controller';
import { EvidenceFiles } from './statements/evidence-files';
import { ReportKeys } from './statements/report-keys';
import { Statements } from './statements/statements';

const SERVICES = Symbol('Services');

/** What Nest wires: the routes of the gateway with its services, and when these start and end. */
@Module({
  controllers: [ReportController, HostsController, PagesController],
})
export class GatewayModule implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(@Inject(SERVICES) private readonly services: Services) {}

  static of(services: Services): DynamicModule {
    const providers = valuesOf(services).map(([provide, useValue]) => ({ provide, useValue }));
    return {
      module: GatewayModule,
      controllers: [controllerOf(gatewayRoutes(services.installation), services)],
      providers,
    };
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

/** What controllers ask for by class or by token. */
function valuesOf(services: Services): readonly (readonly [InjectionToken, unknown])[] {
  return [
    [SERVICES, services],
    [Health, services.health],
    [PAGE_DEPS, services.pages],
    [Database, services.database],
    [Failures, services.failures],
    [Drain, services.drain],
    [ErrorFilter, services.errors],
    [GatewayMetrics, services.metrics],
    [RateLimits, services.rateLimits],
    [RunRepository, services.runs],
    [RunEvents, services.events],
    [HostReportsService, services.reports],
    [ChangeHistory, services.changes],
    [ReportForms, services.forms],
    [PayableHostsList, services.payable],
    [Subscribers, services.subscribers],
    [SubscriptionRepository, services.subscriptions],
    [Claims, services.claims],
    [OwnerProbes, services.ownerProbes],
    [Watches, services.watches],
    [Statements, services.statements],
    [StatementRepository, services.stored],
    [ReportKeys, services.keys],
    [EvidenceFiles, services.evidence],
    [Sales, services.sales],
  ];
}
