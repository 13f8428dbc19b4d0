import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Failures, type Logger } from '@app/platform';
import { Database, Notices, OpenPaymentRepository, PayerRepository, PaymentRepository } from '@app/storage';
import { CONFIG, LOGGER } from '../platform/tokens';
import { HttpModule } from '../platform/http.module';
import { GatewayMetrics } from '../platform/metrics/gateway-metrics';
import { MetricsModule } from '../platform/metrics/metrics.module';
import { paymentListener } from '../platform/metrics/payment-listener';
import { PAYMENTS_STATE, type PaymentsState } from '../platform/metrics/service-state';
import { AttemptWaiter } from './attempt-waiter';
import { Challenges } from './challenges';
import { Checkout } from './checkout';
import { FacilitatorHealth } from './facilitator-health';
import { PAYMENT_MEANS, paymentMeans, type PaymentMeans } from './payment-means';
import { Paywall } from './paywall.service';
import { RateLimits } from '../http/rate-limits';
import { Settler, SIGNED_SKUS } from './settler';
import { SettlementReconciler } from './settlement-reconciler';
import { Solvency } from './solvency';
import { Subscribers } from './subscribers';

/** The gateways that share a database agree on this key. */
const RECONCILER_LOCK = 7_402_005;

const now = (): Date => new Date();
const pause = (ms: number): Promise<void> => sleep(ms);

/** The one way into a sale. Without {@link PaymentMeans} settler, paywall and reconciler are null, and {@link Checkout} says so. */
@Module({
  imports: [HttpModule, MetricsModule],
  providers: [
    { provide: PAYMENT_MEANS, useFactory: paymentMeans, inject: [CONFIG] },
    {
      provide: PaymentRepository,
      useFactory: (database: Database, metrics: GatewayMetrics, logger: Logger, failures: Failures) =>
        new PaymentRepository(database, paymentListener(metrics, logger, failures)),
      inject: [Database, GatewayMetrics, LOGGER, Failures],
    },
    {
      provide: OpenPaymentRepository,
      useFactory: (database: Database, metrics: GatewayMetrics, logger: Logger, failures: Failures) =>
        new OpenPaymentRepository(database, paymentListener(metrics, logger, failures)),
      inject: [Database, GatewayMetrics, LOGGER, Failures],
    },
    {
      provide: PAYMENTS_STATE,
      useFactory: (payments: OpenPaymentRepository, means: PaymentMeans | null): PaymentsState => ({
        payments,
        facilitator: new FacilitatorHealth(means?.facilitator ?? null),
      }),
      inject: [OpenPaymentRepository, PAYMENT_MEANS],
    },
    {
      provide: Settler,
      useFactory: settler,
      inject: [PAYMENT_MEANS, PaymentRepository, SIGNED_SKUS, Failures],
    },
    {
      provide: Paywall,
      useFactory: paywall,
      inject: [PAYMENT_MEANS, Settler, PaymentRepository, Database, Notices, Failures],
    },
    {
      provide: SettlementReconciler,
      useFactory: settlementReconciler,
      inject: [Settler, PaymentRepository, OpenPaymentRepository, Database, Failures],
    },
    Subscribers,
    {
      provide: Checkout,
      useFactory: (gate: Paywall | null, subscribers: Subscribers, limits: RateLimits) =>
        new Checkout(gate, subscribers, limits),
      inject: [Paywall, Subscribers, RateLimits],
    },
  ],
  exports: [PAYMENTS_STATE, Checkout, Subscribers],
})
export class CheckoutModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(SettlementReconciler) private readonly reconciler: SettlementReconciler | null) {}

  onApplicationBootstrap(): void {
    this.reconciler?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reconciler?.stop();
  }
}

function settler(
  means: PaymentMeans | null,
  ledger: PaymentRepository,
  signed: ReadonlySet<string>,
  failures: Failures,
): Settler | null {
  if (!means) return null;
  const unsigned = failures.of('receipt', 'a receipt could not be signed', 'error');
  return new Settler({ ...means, ledger, signed, unsigned, pause, now });
}

function paywall(
  means: PaymentMeans | null,
  settler: Settler | null,
  ledger: PaymentRepository,
  database: Database,
  notices: Notices,
  failures: Failures,
): Paywall | null {
  if (!means || !settler) return null;
  const challenges = new Challenges(means.terms, means.signer);
  return new Paywall({
    ...means,
    ledger,
    settler,
    solvency: new Solvency({ payers: new PayerRepository(database), chain: means.chain, pause, now }),
    waiter: new AttemptWaiter(ledger, notices),
    challenge: (offer, reason) => challenges.of(offer, reason),
    unverified: failures.of('facilitator', 'the facilitator gave no answer'),
    now,
  });
}

function settlementReconciler(
  settler: Settler | null,
  ledger: PaymentRepository,
  open: OpenPaymentRepository,
  database: Database,
  failures: Failures,
): SettlementReconciler | null {
  if (!settler) return null;
  return new SettlementReconciler({
    ledger,
    open,
    settler,
    exclusively: (work) => database.exclusively(RECONCILER_LOCK, work),
    now,
    failed: failures.of('reconciler', 'the settlements could not be reconciled'),
  });
}
