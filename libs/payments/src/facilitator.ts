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

/** `unknown` covers every case in which money may have moved: only the chain can tell. */
export type SettlementOutcome =
  | { readonly kind: 'settled'; readonly transaction: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** The reason when the facilitator gave none. */
export const FACILITATOR_SILENT = 'facilitator_gave_no_answer';

/** Who checks signatures and moves the money. */
export interface Facilitator {
  /** @throws FacilitatorUnavailableError when the facilitator gives no answer. */
  verify(payment: PaymentPayload, requirement: PaymentRequirements): Promise<Verification>;
  /** Never throws: an outcome that cannot be read is `unknown`. */
  settle(payment: PaymentPayload, requirement: PaymentRequirements): Promise<SettlementOutcome>;
  /** Whether it says, now, that it serves the scheme and network of the offers. For readiness; payments do not wait for it. */
  reachable(): Promise<boolean>;
}

class FacilitatorUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the facilitator did not respond', { cause });
    this.name = 'FacilitatorUnavailableError';
  }
}

/** How long a call to the facilitator may take. Settling waits for a block. */
export const FACILITATOR_TIMEOUT_MS = 20_000;

/**
 * Reasons that state a fault of the payment itself, so that nothing was sent. Anything else, `settlement_pending` and
 * failed transactions included, may hide a transfer.
 */
const REFUSED = /^(?:invalid_|insufficient_funds|unsupported_|.*_mismatch$)/;
/** A settlement that went through the first time reads as a used nonce, and may as a failed simulation. */
const MAYBE_SETTLED = /nonce_already_used|transaction_state|transaction_failed|simulation_failed/;

/** What a receipt may name; other texts of a facilitator are neither kept nor shown. */
const TRANSACTION = /^0x[0-9a-fA-F]{64}$/;

/** Headers that authorise the calls to a facilitator, by call. */
export type FacilitatorAuth = () => Promise<{
  readonly verify: Record<string, string>;
  readonly settle: Record<string, string>;
  readonly supported: Record<string, string>;
}>;

/** The official resource server around any facilitator client; connects lazily, so that a start never depends on it. */
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
      // A facilitator may send its answer on the payment with a status 4xx.
      if (error instanceof VerifyError && error.invalidReason && error.statusCode < 500) {
        return { ok: false, reason: readReason(error.invalidReason) ?? 'invalid_payment' };
      }
      throw new FacilitatorUnavailableError(error);
    }
  }

  /** A pending settlement is requested once more, which waits for its receipt; it was sent, whatever the second answer. */
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
   * What the facilitator says of a settlement; undefined when it says nothing. It goes around the resource server, which
   * repeats what is pending and shows the second answer only, which may deny what the first began.
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

/** A reason is shown to the buyer only as the stable code it should be; other texts may carry a facilitator's internals. */
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
  // Who names a transaction sent one.
  const refused = REFUSED.test(reason) && !MAYBE_SETTLED.test(reason) && !transaction;
  return { kind: refused ? 'refused' : 'unknown', reason };
}
