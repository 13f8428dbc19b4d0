import { Inject, Module, type DynamicModule, type InjectionToken, type OnModuleInit } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { Failures } from '@app/platform';
import { Database, RunRepository, StatementRepository, SubscriptionRepository } from '@app/storage';
import { Subscribers } from './checkout/subscribers';
import type { Services } from './compose';
import { DISCOVERY_ROUTES } from './discovery/discovery-routes';
import { ErrorFilter } from './http/error.filter';
import { RateLimits } from './http/rate-limits';
import { MCP_ROUTE } from './mcp/mcp-route';
import { Claims } from './owners/claims';
import { CLAIM_ROUTES } from './owners/claim-routes';
import { OwnerProbes } from './owners/owner-probes';
import { Watches } from './owners/watches';
import { WATCH_ROUTES } from './owners/watch-routes';
import { PAGE_DEPS } from './pages/page-definition';
import { PagesController } from './pages/pages.controller';
import { closeConnections, startConnections } from './platform/connections';
import { Drain } from './platform/health/drain';
import { Health } from './platform/health/health';
import { HEALTH_ROUTES } from './platform/health/health-routes';
import { GatewayMetrics } from './platform/metrics/gateway-metrics';
import { RUN_ROUTES } from './probing-client/run-routes';
import { RunEvents } from './probing-client/run-events';
import { HostsController } from './products/hosts.controller';
import { PRODUCT_DEPS } from './products/product-deps';
import { ProductsController } from './products/products.controller';
import { ReportController } from './products/report.controller';
import { Sales } from './products/sales';
import { SubscriptionController } from './products/subscription.controller';
import { WatchController } from './products/watch.controller';
import { ChangeHistory } from './reports/change-history';
import { HostReportsService } from './reports/host-reports.service';
import { PayableHostsList } from './reports/payable-hosts';
import { ReportForms } from './reports/report-forms';
import { controllerOf } from './routes/routes-controller';
import { EVIDENCE_ROUTES } from './statements/evidence-routes';
import { EvidenceFiles } from './statements/evidence-files';
import { ReportKeys } from './statements/report-keys';
import { Statements } from './statements/statements';
import { STATEMENT_ROUTES } from './statements/statement-routes';

/** Every route that says itself how it is answered. */
export const ROUTES = [
  ...HEALTH_ROUTES,
  ...RUN_ROUTES,
  ...EVIDENCE_ROUTES,
  ...CLAIM_ROUTES,
  ...WATCH_ROUTES,
  ...STATEMENT_ROUTES,
  MCP_ROUTE,
  ...DISCOVERY_ROUTES,
];

const SERVICES = Symbol('Services');

/** What Nest wires: the routes of the gateway with its services, and when these start and end. */
@Module({
  controllers: [
    ReportController,
    HostsController,
    ProductsController,
    SubscriptionController,
    WatchController,
    PagesController,
  ],
})
export class GatewayModule implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(@Inject(SERVICES) private readonly services: Services) {}

  static of(services: Services): DynamicModule {
    const providers = valuesOf(services).map(([provide, useValue]) => ({ provide, useValue }));
    return { module: GatewayModule, controllers: [controllerOf(ROUTES, services)], providers };
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
    [PRODUCT_DEPS, services.products],
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
