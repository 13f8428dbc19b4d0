import { Module, type DynamicModule, type FactoryProvider, type Type } from '@nestjs/common';
import type { Config } from '@app/config';
import { ProberIdentity } from '@app/identity';
import type { Logger } from '@app/observability';
import { Database, PulseRepository } from '@app/persistence';
import { ChecksController } from './checks/checks.controller';
import { EndpointHealthCheck } from './checks/endpoint-health';
import { PayPreflightCheck } from './checks/pay-preflight';
import { PayToOwnershipCheck } from './checks/payto-check';
import { DiscoveryController } from './discovery/discovery.controller';
import { INSTALLATION, installationOf } from './discovery/installation';
import { GatewayParts } from './gateway.parts';
import { FacilitatorHealth } from './health/facilitator-health';
import { HealthController, PROBE_PRODUCERS } from './health/health.controller';
import { BatchRefresh } from './hosts/batch-refresh';
import { ChangeHistory } from './hosts/change-history';
import { HostRefresh, ProtocolRefresh } from './hosts/host-refresh';
import { HostReportsService } from './hosts/host-reports.service';
import { HostsController } from './hosts/hosts.controller';
import { RateLimits } from './limits/rate-limits';
import { McpService } from './mcp/mcp-service';
import { McpController } from './mcp/mcp.controller';
import { GatewayMetrics } from './metrics/gateway-metrics';
import { HostPages } from './pages/host/host-pages';
import { HostPagesController } from './pages/host/host-pages.controller';
import { PagesController } from './pages/pages.controller';
import { ApiReferenceController } from './pages/reference/api-reference.controller';
import { RecentHosts } from './pages/start/recent-hosts';
import { Shop } from './paywall/shop';
import { PROBER_FACTS, ProberController } from './prober/prober.controller';
import { openProberIdentity, proberFacts } from './prober/prober.factory';
import { ReceiptVerification } from './receipts/receipt-verification';
import { Drain } from './shutdown/drain';
import { SubscriberShop } from './subscriptions/subscriber-shop';
import { SubscriptionSale } from './subscriptions/subscription-sale';
import { SubscriptionsController } from './subscriptions/subscriptions.controller';
import { SubscriptionsService } from './subscriptions/subscriptions.service';

/** Hands one of the parts to whoever asks for its class. */
function given<Part>(provide: Type<Part>, of: (parts: GatewayParts) => Part): FactoryProvider<Part> {
  return { provide, useFactory: of, inject: [GatewayParts] };
}

/** Composition of the gateway: the free and paid HTTP routes. */
@Module({})
export class GatewayModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        HostsController,
        ChecksController,
        SubscriptionsController,
        HealthController,
        ProberController,
        McpController,
        PagesController,
        HostPagesController,
        ApiReferenceController,
        DiscoveryController,
      ],
      providers: [
        {
          provide: GatewayParts,
          useFactory: async () => {
            const parts = new GatewayParts(config, logger);
            await parts.start();
            return parts;
          },
        },
        given(HostReportsService, (parts) => parts.reports),
        given(Shop, (parts) => parts.shop),
        given(RateLimits, (parts) => parts.rateLimits),
        given(HostRefresh, ({ operations }) => operations.host_refresh),
        given(ProtocolRefresh, ({ operations }) => operations.protocol_refresh),
        given(BatchRefresh, ({ operations }) => operations.batch_refresh),
        given(PayPreflightCheck, ({ operations }) => operations.pay_preflight),
        given(EndpointHealthCheck, ({ operations }) => operations.endpoint_health),
        given(PayToOwnershipCheck, ({ operations }) => operations.payto_check),
        given(ReceiptVerification, ({ operations }) => operations.receipt_verify),
        given(McpService, (parts) => parts.mcp),
        given(ChangeHistory, (parts) => parts.changes),
        given(SubscriberShop, (parts) => parts.subscriberShop),
        given(SubscriptionSale, (parts) => parts.subscriptions.sale),
        given(SubscriptionsService, (parts) => parts.subscriptions.service),
        given(HostPages, (parts) => parts.pages),
        given(RecentHosts, (parts) => parts.recent),
        given(FacilitatorHealth, (parts) => parts.facilitatorHealth),
        given(GatewayMetrics, (parts) => parts.metrics),
        given(Database, (parts) => parts.database),
        given(PulseRepository, (parts) => parts.probes.pulses),
        {
          provide: ProberIdentity,
          useFactory: ({ database }: GatewayParts) => openProberIdentity(config, database),
          inject: [GatewayParts],
        },
        {
          provide: PROBE_PRODUCERS,
          useFactory: ({ probes }: GatewayParts) => probes.producers,
          inject: [GatewayParts],
        },
        { provide: Drain, useValue: new Drain() },
        { provide: PROBER_FACTS, useValue: proberFacts(config) },
        { provide: INSTALLATION, useValue: installationOf(config) },
      ],
    };
  }
}
