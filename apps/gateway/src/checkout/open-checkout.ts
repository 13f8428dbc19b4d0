import { setTimeout as sleep } from 'node:timers/promises';
import {
  OpenPaymentRepository,
  PayerRepository,
  PaymentRepository,
  SignInNonceRepository,
  SubscriptionRepository,
} from '@app/storage';
import type { Connections } from '../platform/connections';
import type { GatewayMetrics } from '../platform/metrics/gateway-metrics';
import { paymentListener } from '../platform/metrics/payment-listener';
import { AttemptWaiter } from './attempt-waiter';
import { Challenges } from './challenges';
import { FacilitatorHealth } from './facilitator-health';
import { paymentMeans, type PaymentMeans } from './payment-means';
import { Paywall } from './paywall.service';
import { Settler } from './settler';
import { SettlementReconciler } from './settlement-reconciler';
import { Solvency } from './solvency';
import { Subscribers } from './subscribers';

/** Advisory lock key shared by all gateways on one database. */
const RECONCILER_LOCK = 7_402_005;

const now = (): Date => new Date();
const pause = (ms: number): Promise<void> => sleep(ms);

export interface CheckoutDeps extends Pick<Connections, 'config' | 'database' | 'failures' | 'logger' | 'notices'> {
  readonly metrics: GatewayMetrics;
  /** The products whose receipts are signed. */
  readonly signed: ReadonlySet<string>;
}

/** Builds everything that sales need. Without {@link PaymentMeans} there is no paywall and no reconciler. */
export function openCheckout(deps: CheckoutDeps) {
  const { config, database, failures, logger, metrics } = deps;
  const means = paymentMeans(config);
  const listener = paymentListener(metrics, logger, failures);
  const ledger = new PaymentRepository(database, listener);
  const payments = new OpenPaymentRepository(database, listener);
  const subscribers = new Subscribers(
    new SubscriptionRepository(database),
    new SignInNonceRepository(database),
    config,
  );
  const selling = means && sellingWith(means, ledger, payments, deps);
  return {
    ...{ payments, subscribers },
    facilitator: new FacilitatorHealth(means?.facilitator ?? null),
    paywall: selling?.paywall ?? null,
    reconciler: selling?.reconciler ?? null,
  };
}

function sellingWith(
  means: PaymentMeans,
  ledger: PaymentRepository,
  open: OpenPaymentRepository,
  { database, failures, notices, signed }: CheckoutDeps,
) {
  const unsigned = failures.of('receipt', 'could not sign a receipt', 'error');
  const settler = new Settler({ ...means, ledger, signed, unsigned, pause, now });
  const challenges = new Challenges(means.terms, means.signer);
  const paywall = new Paywall({
    ...means,
    ledger,
    settler,
    solvency: new Solvency({ payers: new PayerRepository(database), chain: means.chain, pause, now }),
    waiter: new AttemptWaiter(ledger, notices),
    challenge: (offer, reason) => challenges.of(offer, reason),
    unverified: failures.of('facilitator', 'the facilitator did not answer'),
    now,
  });
  const reconciler = new SettlementReconciler({
    ...{ ledger, open, settler, now },
    exclusively: (work) => database.exclusively(RECONCILER_LOCK, work),
    failed: failures.of('reconciler', 'could not reconcile settlements'),
  });
  return { paywall, reconciler };
}
