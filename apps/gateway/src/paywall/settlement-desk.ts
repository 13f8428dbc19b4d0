import type { AuthorizationFate, AuthorizationReader } from '@app/chain';
import {
  isSigned,
  type Attempt,
  type AttemptState,
  type Facilitator,
  type Lease,
  type OfferSigner,
  type PaymentLedger,
  type Settlement,
} from '@app/payments';

/** How a settlement ended, as far as anybody can know. */
export type SettlementEnd =
  /** The money moved; the attempt is `settled` and its answer may be released. */
  | { readonly kind: 'settled'; readonly attempt: Attempt }
  /** It will never move; the attempt is `settle_failed`. */
  | { readonly kind: 'failed'; readonly reason: string; readonly attempt: Attempt }
  /** It may have moved or may yet; the attempt is `settle_unknown` until somebody finds out. */
  | { readonly kind: 'unknown' }
  /** Somebody else drives the attempt by now and writes down how it ends. */
  | { readonly kind: 'elsewhere' };

export interface SettlementDeskParts {
  readonly ledger: Pick<PaymentLedger, 'move'>;
  readonly facilitator: Pick<Facilitator, 'settle'>;
  readonly chain: AuthorizationReader;
  /** Signs receipts; null leaves the extension out. */
  readonly signer: Pick<OfferSigner, 'receiptFor'> | null;
  /** Told of a receipt that could not be signed. */
  readonly unsigned: (error: unknown) => void;
  readonly now: () => Date;
}

/** Block time and our clock differ: an authorization is over when its end is this long ago. */
export const EXPIRY_GRACE_MS = 60_000;

/** States of an attempt that has its answer, and may have its money on the way. */
export const SETTLEABLE: readonly AttemptState[] = ['answer_stored', 'settling', 'settle_unknown'];

/** Settles stored answers, for a buyer who waits and for the reconciler alike. Both methods need the attempt's lease. */
export class SettlementDesk {
  constructor(private readonly parts: SettlementDeskParts) {}

  /** Settles an attempt in `settling` whose answer was just stored: nothing was sent for it yet. */
  async settle(attempt: Attempt, lease: Lease): Promise<SettlementEnd> {
    const { facilitator, chain } = this.parts;
    const outcome = await facilitator.settle(attempt.payment, attempt.requirement);
    if (outcome.kind === 'settled') return this.close(attempt, lease, outcome.transaction);
    const refusal = outcome.kind === 'refused' ? outcome.reason : undefined;
    return this.conclude(attempt, lease, await chain.fateOf(attempt), refusal);
  }

  /**
   * Goes on with an attempt in `settling` whose earlier outcome was lost: the chain first, and only an unused
   * authorization is sent once more. A refusal proves nothing now, as the first transaction may still be on its way:
   * the attempt is given up only when its authorization has ended unused.
   */
  async settleAgain(attempt: Attempt, lease: Lease): Promise<SettlementEnd> {
    const { facilitator, chain } = this.parts;
    const fate = await chain.fateOf(attempt);
    if (fate.kind !== 'unused' || isOver(attempt, this.parts.now())) return this.conclude(attempt, lease, fate);
    const outcome = await facilitator.settle(attempt.payment, attempt.requirement);
    if (outcome.kind === 'settled') return this.close(attempt, lease, outcome.transaction);
    return this.conclude(attempt, lease, await chain.fateOf(attempt));
  }

  /** @param refusal the facilitator's word that nothing was sent; the chain's word goes before it. */
  private async conclude(
    attempt: Attempt,
    lease: Lease,
    fate: AuthorizationFate,
    refusal?: string,
  ): Promise<SettlementEnd> {
    if (fate.kind === 'settled') return this.close(attempt, lease, fate.transaction);
    const reason = this.reasonOf(attempt, fate) ?? refusal;
    const { ledger } = this.parts;
    const moved =
      reason === undefined
        ? await ledger.move(attempt, lease, 'settle_unknown', { reason: 'settlement_unknown' })
        : await ledger.move(attempt, lease, 'settle_failed', { reason });
    if (!moved) return { kind: 'elsewhere' };
    return reason === undefined ? { kind: 'unknown' } : { kind: 'failed', reason, attempt: moved };
  }

  private async close(attempt: Attempt, lease: Lease, transaction: string): Promise<SettlementEnd> {
    const settlement = await this.receiptOf(attempt, transaction);
    const settled = await this.parts.ledger.move(attempt, lease, 'settled', { settlement });
    return settled ? { kind: 'settled', attempt: settled } : { kind: 'elsewhere' };
  }

  /** What was paid for is released with or without our signature. */
  private async receiptOf({ sku, resource, network, payer }: Attempt, transaction: string): Promise<Settlement> {
    const { signer, unsigned } = this.parts;
    const bare: Settlement = { transaction, network, payer };
    if (!signer || !isSigned(sku)) return bare;
    try {
      return { ...bare, extensions: await signer.receiptFor(resource, bare) };
    } catch (error) {
      unsigned(error);
      return bare;
    }
  }

  private reasonOf(attempt: Attempt, fate: AuthorizationFate): string | undefined {
    if (fate.kind === 'void') return 'authorization_canceled';
    return fate.kind === 'unused' && isOver(attempt, fate.asOf) ? 'authorization_expired' : undefined;
  }
}

function isOver({ validBefore }: Attempt, time: Date): boolean {
  return validBefore.getTime() + EXPIRY_GRACE_MS < time.getTime();
}
