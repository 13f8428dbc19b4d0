import { Global, Module } from '@nestjs/common';
import { ViemChainReader } from '@app/payments';
import type { Config } from '@app/config';
import { OptOuts } from '@app/limits';
import { perChain } from '@app/networks';
import { HostRepository, ServerSecretRepository, SubscriptionRepository } from '@app/storage';
import { Checkout } from '../checkout/checkout';
import { CheckoutModule } from '../checkout/checkout.module';
import { sellingNetwork } from '../checkout/payment-means';
import { SIGNED_SKUS } from '../checkout/settler';
import { CONFIG } from '../platform/tokens';
import { ErrorFilter } from '../http/error.filter';
import { HttpModule } from '../platform/http.module';
import { RateLimits } from '../http/rate-limits';
import { GatewayMetrics } from '../platform/metrics/gateway-metrics';
import { MetricsModule } from '../platform/metrics/metrics.module';
import { ProbeClient } from '../probing-client/probe-client';
import { ProbingClientModule } from '../probing-client/probing-client.module';
import { REPORT_OFFERS, type ReportOffers } from '../reports/report-offers';
import { ReportsModule } from '../reports/reports.module';
import { Statements } from '../statements/statements';
import { StatementsModule } from '../statements/statements.module';
import { Watches } from '../owners/watches';
import { WatchesModule } from '../owners/watches.module';
import { HostsController } from './hosts.controller';
import { INSTALLATION, installationOf, type Installation } from './installation';
import { PRODUCT_DEPS, type ProductDeps } from './product-deps';
import { ProductsController } from './products.controller';
import { ReadyChallenges } from './ready-challenges';
import { PRODUCTS } from './registry';
import { reportOffers } from './report-offers';
import { ReportController } from './report.controller';
import { Sales } from './sales';
import { SubscriptionController } from './subscription.controller';
import { WatchController } from './watch.controller';

/** Injection token of what products work with that the configuration decides. */
const PRODUCT_CONFIG = Symbol('ProductConfig');

/** What is sold. Global, because floors below name what is sold here and know nothing above them. */
@Global()
@Module({
  imports: [
    CheckoutModule,
    HttpModule,
    MetricsModule,
    ProbingClientModule,
    ReportsModule,
    StatementsModule,
    WatchesModule,
  ],
  controllers: [ProductsController, HostsController, ReportController, SubscriptionController, WatchController],
  providers: [
    { provide: INSTALLATION, useFactory: installationOf, inject: [CONFIG] },
    {
      provide: REPORT_OFFERS,
      useFactory: (installation: Installation, config: Config) => reportOffers(installation, sellingNetwork(config)),
      inject: [INSTALLATION, CONFIG],
    },
    { provide: SIGNED_SKUS, useValue: new Set(PRODUCTS.filter(({ signed }) => signed).map(({ sku }) => sku)) },
    {
      provide: PRODUCT_CONFIG,
      useFactory: productConfig,
      inject: [CONFIG, INSTALLATION, REPORT_OFFERS, ServerSecretRepository],
    },
    {
      provide: PRODUCT_DEPS,
      useFactory: (
        config: ReturnType<typeof productConfig>,
        probes: ProbeClient,
        hosts: HostRepository,
        subscriptions: SubscriptionRepository,
        optOuts: OptOuts,
        statements: Statements,
        watches: Watches,
      ): ProductDeps => ({ ...config, probes, hosts, subscriptions, optOuts, statements, watches }),
      inject: [PRODUCT_CONFIG, ProbeClient, HostRepository, SubscriptionRepository, OptOuts, Statements, Watches],
    },
    {
      provide: ReadyChallenges,
      useFactory: (metrics: GatewayMetrics) => new ReadyChallenges(metrics),
      inject: [GatewayMetrics],
    },
    {
      provide: Sales,
      useFactory: (
        checkout: Checkout,
        limits: RateLimits,
        errors: ErrorFilter,
        deps: ProductDeps,
        ready: ReadyChallenges,
      ) => new Sales(checkout, limits, errors, deps, ready),
      inject: [Checkout, RateLimits, ErrorFilter, PRODUCT_DEPS, ReadyChallenges],
    },
  ],
  exports: [INSTALLATION, ReadyChallenges, REPORT_OFFERS, SIGNED_SKUS, Sales],
})
export class ProductsModule {}

function productConfig(
  { rpc, subscriptions: { refreshesPerDay, keySecret } }: Config,
  installation: Installation,
  offers: ReportOffers,
  secrets: ServerSecretRepository,
) {
  return {
    installation,
    offers,
    refreshesPerDay,
    chains: perChain(({ id, chainId }) => new ViemChainReader(chainId, rpc[id])),
    purchaseSecret: async () => keySecret ?? secrets.obtain('subscription_key'),
  };
}
