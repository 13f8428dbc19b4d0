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

/** What the configuration says of taking payments, ready to use. */
export interface PaymentMeans {
  readonly terms: PaymentsConfig;
  readonly facilitator: Facilitator;
  /** Null without an RPC node: then the facilitator's word is all there is, and a doubtful settlement stays unknown. */
  readonly chain: AuthorizationReader | null;
  /** Whether answers are released on the facilitator's word. */
  readonly trust: boolean;
  readonly signatures: SignatureCheck;
  /** Null when offers and receipts are not signed. */
  readonly signer: OfferSigner | null;
  /** Longest time the work of any product takes, in milliseconds. */
  readonly workBudgetMs: number;
}

/** Null until the configuration names a payee and a facilitator. */
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

/** Network that offers and messages to sign name: the one payments are taken on, or Base while none are taken. */
export function sellingNetwork({ payments }: Pick<Config, 'payments'>): SellableId {
  return payments?.network ?? DEFAULT_NETWORK;
}

/** How often the facilitator in this process asks for a receipt, in milliseconds. */
const RECEIPT_POLLING_MS = 250;

function facilitatorOf({ network, facilitator }: PaymentsConfig, rpcUrl: string | undefined): Facilitator {
  if (facilitator.kind === 'remote') {
    return ResourceServerFacilitator.overHttp(facilitator.url, network, authOf(facilitator));
  }
  if (rpcUrl === undefined) throw new Error('a facilitator in this process needs an RPC node');
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
