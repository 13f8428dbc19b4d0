import type { SellableId } from '@app/networks';
import { defined } from '@app/platform';
import { HTTPFacilitatorClient, x402ResourceServer, type FacilitatorClient } from '@x402/core/server';
import {
  SettleError,
  VerifyError,
  type PaymentPayload,
  type PaymentRequirements,
  type SettleResponse,
} from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/server';

export type Verification = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** `unknown` covers every case in which money may have moved; only the chain can tell. */
export type SettlementOutcome =
  | { readonly kind: 'settled'; readonly transaction: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** The reason if the facilitator gave none. */
export const FACILITATOR_SILENT = 'facilitator_gave_no_answer';

/** Checks signatures and moves the money. */
export interface Facilitator {
  /** @throws FacilitatorUnavailableError if the facilitator does not answer. */
  verify(payment: PaymentPayload, requirement: PaymentRequirements): Promise<Verification>;
  /** Never throws: an unreadable outcome is `unknown`. */
  settle(payment: PaymentPayload, requirement: PaymentRequirements): Promise<SettlementOutcome>;
  /**
   * Whether the facilitator currently supports the scheme and network of the offers. Used for readiness; payments do
   * not wait for it.
   */
  reachable(): Promise<boolean>;
}

class FacilitatorUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the facilitator did not respond', { cause });
    this.name = 'FacilitatorUnavailableError';
  }
}

/** Timeout of a call to the facilitator; settling waits for a block. */
export const FACILITATOR_TIMEOUT_MS = 20_000;

/**
 * Reasons that clearly blame the payment itself, so that nothing was sent. With any other reason, including
 * `settlement_pending` and failed transactions, the transfer may have happened.
 */
const REFUSED = /^(?:invalid_|insufficient_funds|unsupported_|.*_mismatch$)/;
/** If the first settlement already succeeded, a second one may report a used nonce or a failed simulation. */
const MAYBE_SETTLED = /nonce_already_used|transaction_state|transaction_failed|simulation_failed/;

/** The format of a transaction hash. Other texts of a facilitator are neither stored nor shown. */
const TRANSACTION = /^0x[0-9a-fA-F]{64}$/;

/** The headers that authorize each call to a facilitator. */
export type FacilitatorAuth = () => Promise<{
  readonly verify: Record<string, string>;
  readonly settle: Record<string, string>;
  readonly supported: Record<string, string>;
}>;

/**
 * The official resource server with any facilitator client. It connects on first use, so that a start does not depend
 * on it.
 */
export class ResourceServerFacilitator implements Facilitator {
  private server: Promise<x402ResourceServer> | undefined;

  constructor(
    private readonly client: FacilitatorClient,
    private readonly network: SellableId,
  ) {}

  static overHttp(url: string, network: SellableId, auth?: FacilitatorAuth): ResourceServerFacilitator {
    const options = defined({ url, timeoutMs: FACILITATOR_TIMEOUT_MS, createAuthHeaders: auth });
    return new ResourceServerFacilitator(new HTTPFacilitatorClient(options), network);
  }

  async verify(payment: PaymentPayload, requirement: PaymentRequirements): Promise<Verification> {
    try {
      const server = await this.connected();
      const { isValid, invalidReason } = await server.verifyPayment(payment, requirement);
      return isValid ? { ok: true } : { ok: false, reason: readReason(invalidReason) ?? 'invalid_payment' };
    } catch (error) {
      // A facilitator may send its verdict on the payment with a 4xx status.
      if (error instanceof VerifyError && error.invalidReason && error.statusCode < 500) {
        return { ok: false, reason: readReason(error.invalidReason) ?? 'invalid_payment' };
      }
      throw new FacilitatorUnavailableError(error);
    }
  }

  /**
   * A pending settlement is requested once more, which waits for its receipt. It was sent, so the second answer cannot
   * be a refusal.
   */
  async settle(payment: PaymentPayload, requirement: PaymentRequirements): Promise<SettlementOutcome> {
    const first = await this.requestSettlement(payment, requirement);
    if (first?.errorReason !== 'settlement_pending' || !first.transaction) return readSettlement(first);
    const second = readSettlement(await this.requestSettlement(payment, requirement));
    return second.kind === 'refused' ? { kind: 'unknown', reason: second.reason } : second;
  }

  async reachable(): Promise<boolean> {
    try {
      const { kinds } = await this.client.getSupported();
      return kinds.some(({ scheme, network }) => scheme === 'exact' && network === this.network);
    } catch {
      return false;
    }
  }

  /**
   * The facilitator's answer to a settlement; undefined if there is none. This bypasses the resource server, which
   * retries a pending settlement and returns only the second answer, which may deny what the first one started.
   */
  private async requestSettlement(
    payment: PaymentPayload,
    requirement: PaymentRequirements,
  ): Promise<SettlementAnswer | undefined> {
    try {
      return await this.client.settle(payment, requirement);
    } catch (error) {
      if (!(error instanceof SettleError) || error.statusCode >= 500) return undefined;
      const { errorReason, transaction } = error;
      return defined({ success: false, transaction, errorReason });
    }
  }

  private connected(): Promise<x402ResourceServer> {
    this.server ??= this.connect().catch((error: unknown) => {
      this.server = undefined; // the next payment tries again
      throw error;
    });
    return this.server;
  }

  private async connect(): Promise<x402ResourceServer> {
    const server = new x402ResourceServer(this.client).register(this.network, new ExactEvmScheme());
    await server.initialize();
    return server;
  }
}

/** A reason is shown to the buyer only if it is a stable code; other texts may contain internals of the facilitator. */
function readReason(reason: string | undefined): string | undefined {
  return reason !== undefined && /^[a-z][a-z0-9_]{0,99}$/.test(reason) ? reason : undefined;
}

type SettlementAnswer = Pick<SettleResponse, 'success' | 'transaction' | 'errorReason'>;

function readSettlement(answer: SettlementAnswer | undefined): SettlementOutcome {
  if (!answer) return { kind: 'unknown', reason: FACILITATOR_SILENT };
  const { success, transaction, errorReason } = answer;
  if (success) {
    return TRANSACTION.test(transaction)
      ? { kind: 'settled', transaction }
      : { kind: 'unknown', reason: 'facilitator_named_no_transaction' };
  }
  const reason = readReason(errorReason) ?? 'unexpected_settle_error';
  // A facilitator that names a transaction has sent one.
  const refused = REFUSED.test(reason) && !MAYBE_SETTLED.test(reason) && !transaction;
  return { kind: refused ? 'refused' : 'unknown', reason };
}
