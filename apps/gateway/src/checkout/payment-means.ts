import {
  ViemAuthorizationReader,
  walletReader,
  type AuthorizationReader,
  cdpAuth,
  createLocalFacilitator,
  FACILITATOR_TIMEOUT_MS,
  OfferSigner,
  ResourceServerFacilitator,
  SignatureCheck,
  staticAuth,
  type Facilitator,
  type FacilitatorAuth,
} from '@app/payments';
import { CHAINS, DEFAULT_NETWORK, type SellableId } from '@app/networks';
import type { Config, FacilitatorConfig, PaymentsConfig } from '@app/config';

/** What the service needs to take payments, built from its configuration. */
export interface PaymentMeans {
  readonly terms: PaymentsConfig;
  readonly facilitator: Facilitator;
  /**
   * Null without an RPC node. Then only the facilitator can tell the outcome, and an uncertain settlement stays
   * unknown.
   */
  readonly chain: AuthorizationReader | null;
  /** Whether answers are released as soon as the facilitator reports a settlement. */
  readonly trust: boolean;
  readonly signatures: SignatureCheck;
  /** Null if offers and receipts are not signed. */
  readonly signer: OfferSigner | null;
  /** The longest time that the work of any product takes, in milliseconds. */
  readonly workBudgetMs: number;
}

/** Null unless the configuration names a payee and a facilitator. */
export function paymentMeans({ payments, rpc, refreshDeadlineMs }: Config): PaymentMeans | null {
  if (!payments) return null;
  const { chainId } = CHAINS[payments.network];
  const rpcUrls = rpc[payments.network];
  return {
    terms: payments,
    facilitator: facilitatorOf(payments, rpcUrls[0]),
    chain: rpcUrls.length === 0 ? null : new ViemAuthorizationReader(rpcUrls),
    trust: payments.trustFacilitator,
    signatures: new SignatureCheck(rpcUrls.length === 0 ? null : walletReader(rpcUrls)),
    signer: payments.offerSigningKey === null ? null : new OfferSigner(payments.offerSigningKey, chainId),
    workBudgetMs: refreshDeadlineMs,
  };
}

/** The network named in offers and sign-in messages: the configured one, or Base if payments are not configured. */
export function sellingNetwork({ payments }: Pick<Config, 'payments'>): SellableId {
  return payments?.network ?? DEFAULT_NETWORK;
}

/** How often the in-process facilitator polls for a transaction receipt, in milliseconds. */
const RECEIPT_POLLING_MS = 250;

function facilitatorOf({ network, facilitator }: PaymentsConfig, rpcUrl: string | undefined): Facilitator {
  if (facilitator.kind === 'remote') {
    return ResourceServerFacilitator.overHttp(facilitator.url, network, authOf(facilitator));
  }
  if (rpcUrl === undefined) throw new Error('an in-process facilitator needs an RPC node');
  const local = createLocalFacilitator({
    rpcUrl,
    chainId: CHAINS[network].chainId,
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
