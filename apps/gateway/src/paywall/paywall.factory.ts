import { ViemAuthorizationReader, type AuthorizationReader } from '@app/chain';
import type { Config, FacilitatorConfig, PaymentsConfig } from '@app/config';
import type { Logger } from '@app/observability';
import {
  cdpAuth,
  createLocalFacilitator,
  FACILITATOR_TIMEOUT_MS,
  NETWORKS,
  OfferSigner,
  ResourceServerFacilitator,
  staticAuth,
  type Facilitator,
  type FacilitatorAuth,
} from '@app/payments';
import { PaymentRepository, type Database, type Notices } from '@app/persistence';
import type { GatewayMetrics } from '../metrics/gateway-metrics';
import { MeteredLedger } from '../metrics/metered-ledger';
import { AttemptWaiter } from './attempt-waiter';
import { Challenges } from './challenges';
import { Paywall } from './paywall.service';
import { SettlementDesk } from './settlement-desk';
import { SettlementReconciler } from './settlement-reconciler';

/** The gateways that share a database agree on this key. */
const RECONCILER_LOCK = 7_402_005;

/** What taking payments consists of. */
export interface PaymentParts {
  readonly paywall: Paywall;
  readonly reconciler: SettlementReconciler;
  readonly facilitator: Facilitator;
}

/** Null until the configuration says who receives the money and through whom. */
export function createPaymentParts(
  config: Config,
  database: Database,
  notices: Notices,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: GatewayMetrics },
): PaymentParts | null {
  const { payments } = config;
  if (!payments) return null;
  const { chainId } = NETWORKS[payments.network];
  const now = (): Date => new Date();
  const ledger = new MeteredLedger(new PaymentRepository(database), metrics, logger);
  const rpcUrls = config.rpc[chainId];
  const facilitator = facilitatorOf(payments, rpcUrls[0]);
  const signer = payments.offerSigningKey === null ? null : new OfferSigner(payments.offerSigningKey, chainId);
  const chain = rpcUrls.length === 0 ? NO_CHAIN : new ViemAuthorizationReader(rpcUrls);
  const unsigned = (error: unknown): void => {
    logger.error({ err: error }, 'a receipt could not be signed');
  };
  const desk = new SettlementDesk({ ledger, facilitator, chain, signer, unsigned, now });
  const challenges = new Challenges(payments, signer);
  const paywall = new Paywall({
    terms: payments,
    ledger,
    facilitator,
    desk,
    waiter: new AttemptWaiter(ledger, notices),
    challenge: (offer, reason) => challenges.of(offer, reason),
    workBudgetMs: config.refreshDeadlineMs,
    now,
  });
  const reconciler = new SettlementReconciler({
    ledger,
    desk,
    exclusively: (work) => database.exclusively(RECONCILER_LOCK, work),
    now,
    failed: (error) => {
      logger.warn({ err: error }, 'the settlements could not be reconciled');
    },
  });
  return { paywall, reconciler, facilitator };
}

/** Without an RPC node a doubtful settlement stays unknown until one is configured; it is never guessed. */
const NO_CHAIN: AuthorizationReader = { fateOf: () => Promise.resolve({ kind: 'unreadable' }) };

/** How often our own facilitator looks for a receipt, in milliseconds. */
const RECEIPT_POLLING_MS = 250;

function facilitatorOf({ network, facilitator }: PaymentsConfig, rpcUrl: string | undefined): Facilitator {
  if (facilitator.kind === 'remote') {
    return ResourceServerFacilitator.overHttp(facilitator.url, network, authOf(facilitator));
  }
  if (rpcUrl === undefined) throw new Error('a facilitator in this process needs an RPC node');
  const local = createLocalFacilitator({
    rpcUrl,
    chainId: NETWORKS[network].chainId,
    privateKey: facilitator.privateKey,
    confirmationTimeoutMs: FACILITATOR_TIMEOUT_MS,
    pollingIntervalMs: RECEIPT_POLLING_MS,
  });
  return new ResourceServerFacilitator(local, network);
}

function authOf({ url, auth }: Extract<FacilitatorConfig, { kind: 'remote' }>): FacilitatorAuth | undefined {
  if (auth.kind === 'cdp') return cdpAuth(url, { id: auth.keyId, secret: auth.secret });
  return auth.kind === 'header' ? staticAuth(auth.authorization) : undefined;
}
