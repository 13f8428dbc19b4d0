import { randomUUID } from 'node:crypto';
import {
  FACILITATOR_TIMEOUT_MS,
  matchProof,
  PaymentConflictError,
  PaymentRequiredError,
  PaymentUnavailableError,
  validityFault,
  type Attempt,
  type AttemptState,
  type Authorization,
  type Change,
  type Challenge,
  type Facilitator,
  type Lease,
  type Offer,
  type PaymentFault,
  type PaymentLedger,
  type PaymentProof,
  type ProofReading,
  type SellingTerms,
} from '@app/payments';
import type { AttemptWaiter } from './attempt-waiter';
import { fingerprintOf, keyOf, newClaim, sameRequest } from './claim';
import { releaseOf, settlementUnknown, workedOnElsewhere, type Release, type Sale } from './release';
import { SETTLEABLE, type SettlementDesk, type SettlementEnd } from './settlement-desk';

/** What a handler sells: the body to release, and whether it is worth the price (an answer of "we cannot tell" is not). */
export interface Work {
  readonly body: string;
  readonly charge: boolean;
}

/** What is done for the money. */
export interface Job {
  /** Whether the work could be done now; throws when not. Asked before any payment is asked for, or verified. */
  readonly admit: () => Promise<void>;
  readonly work: () => Promise<Work>;
}

export interface PaywallParts {
  readonly terms: SellingTerms;
  readonly ledger: PaymentLedger;
  readonly facilitator: Pick<Facilitator, 'verify'>;
  readonly desk: SettlementDesk;
  readonly waiter: Pick<AttemptWaiter, 'waitForChange'>;
  readonly challenge: (offer: Offer, reason?: { readonly code: string; readonly error: string }) => Promise<Challenge>;
  /** Longest time the work of any product takes, in milliseconds. */
  readonly workBudgetMs: number;
  readonly now: () => Date;
}

/** What settling and writing things down may take on top of the work. */
const SETTLE_BUDGET_MS = FACILITATOR_TIMEOUT_MS;
const MARGIN_MS = 6_000;

/**
 * A stored answer can be fetched again for this long after its authorization ended (contract 5), or after its settlement
 * became known, if that was later: nobody could fetch it before.
 */
const REPLAY_MS = 24 * 3_600_000;

/** Ends without a charge: who comes back with the payment starts over at today's terms. */
const UNCHARGED: readonly AttemptState[] = ['rejected', 'work_failed'];
/** States in which an attempt may start over with the same authorization: nothing was sent, nothing is stored. */
const RESTARTABLE: readonly AttemptState[] = [...UNCHARGED, 'received', 'verified', 'working'];

/**
 * Sells one answer for one payment, for REST and MCP alike. Order: challenge, match, claim the ledger row, verify, work,
 * store the answer, settle, release. Nothing is settled without a stored answer and nothing is released unsettled;
 * the same payment presented again joins, continues or replays, from any gateway process.
 */
export class Paywall {
  constructor(private readonly parts: PaywallParts) {}

  /**
   * @throws {PaymentRequiredError} no payment, or one that will never settle (nothing charged)
   * @throws {PaymentConflictError} the payment, or the payer's identifier, bought something else
   * @throws {PaymentUnavailableError} no verdict now; the same payment may be presented again
   * @throws whatever the job throws (nothing charged)
   */
  async sell(offer: Offer, reading: ProofReading | undefined, job: Job): Promise<Sale> {
    if (!reading?.ok) {
      await job.admit();
      throw new PaymentRequiredError(await this.parts.challenge(offer, reading));
    }
    return { ...(await this.exchange(offer, reading.proof, job)), x402Version: reading.proof.version };
  }

  private async exchange(offer: Offer, proof: PaymentProof, job: Job): Promise<Release> {
    const { ledger, terms } = this.parts;
    const match = matchProof(proof, offer, terms, this.parts.now());
    if (!match.ok) {
      // What was taken once is brought to its end and stays answered, even when its price is no longer honoured.
      const known = await ledger.findByAuthorization(keyOf(proof, terms));
      if (!known || UNCHARGED.includes(known.state)) throw await this.refusal(offer, match.code, match.error);
      return this.resume(sameRequest(known, fingerprintOf(offer), proof), offer, job);
    }
    const claim = newClaim(offer, proof, match, terms);
    const lease = this.newLease();
    const { attempt, owned } = await ledger.claim(claim, lease);
    if (owned) return this.carryOut(attempt, offer, lease, job);
    return this.resume(sameRequest(attempt, claim.fingerprint, proof), offer, job);
  }

  /** Drives a fresh (or restarted) attempt from verification to release. */
  private async carryOut(attempt: Attempt, offer: Offer, lease: Lease, job: Job): Promise<Release> {
    await this.admit(attempt, lease, job);
    const working = await this.verify(attempt, offer, lease);
    const { body, charge } = await this.work(working, lease, job);
    if (!charge) {
      await this.advance(working, lease, 'work_failed', { reason: 'not_charged' });
      return { body, replayed: false };
    }
    const settling = await this.advance(working, lease, 'settling', { through: 'answer_stored', answer: body });
    return this.release(await this.parts.desk.settle(settling, lease), offer, false);
  }

  private async admit(attempt: Attempt, lease: Lease, job: Job): Promise<void> {
    try {
      await job.admit();
    } catch (error) {
      await this.advance(attempt, lease, 'work_failed', { reason: 'not_admitted' });
      throw error;
    }
  }

  /** The attempt in `working`. */
  private async verify(attempt: Attempt, offer: Offer, lease: Lease): Promise<Attempt> {
    const early = this.validityOf(attempt);
    if (early) return this.reject(attempt, offer, lease, early);
    const verdict = await this.parts.facilitator.verify(attempt.payment, attempt.requirement).catch(async () => {
      await this.advance(attempt, lease, 'work_failed', { reason: 'facilitator_unavailable' });
      throw new PaymentUnavailableError(
        'facilitator_unavailable',
        'payments cannot be verified right now; nothing was charged',
        5,
      );
    });
    if (!verdict.ok) {
      const error = `the payment was refused: ${verdict.reason}`;
      return this.reject(attempt, offer, lease, { code: verdict.reason, error });
    }
    // A slow verdict may have used up the time that was left.
    const late = this.validityOf(attempt);
    if (late) return this.reject(attempt, offer, lease, late);
    return this.advance(attempt, lease, 'working', { through: 'verified' }).catch(async (error: unknown) => {
      if (error instanceof PaymentConflictError) {
        await this.advance(attempt, lease, 'rejected', { reason: error.code });
      }
      throw error;
    });
  }

  private validityOf({ payment, requirement }: Attempt): PaymentFault | undefined {
    const { authorization } = payment.payload as { readonly authorization: Authorization };
    return validityFault(authorization, requirement.maxTimeoutSeconds, this.parts.now(), this.budgetMs());
  }

  private async work(attempt: Attempt, lease: Lease, job: Job): Promise<Work> {
    try {
      return await job.work();
    } catch (error) {
      await this.advance(attempt, lease, 'work_failed', { reason: 'work_failed' });
      throw error;
    }
  }

  private async release(end: SettlementEnd, offer: Offer, replayed: boolean): Promise<Release> {
    if (end.kind === 'settled') return releaseOf(end.attempt, replayed);
    if (end.kind === 'elsewhere') throw workedOnElsewhere();
    if (end.kind === 'unknown') throw settlementUnknown();
    const { reason, attempt } = end;
    const error = `the payment could not be settled: ${reason}`;
    throw new PaymentRequiredError(await this.parts.challenge(offer, { code: reason, error }), {
      reason,
      network: attempt.network,
      payer: attempt.payer,
    });
  }

  /** The same payment for the same request was seen before: replay, wait, continue or start over. */
  private async resume(attempt: Attempt, offer: Offer, job: Job): Promise<Release> {
    if (attempt.state === 'settled') {
      const since = Math.max(attempt.validBefore.getTime(), attempt.reachedAt.getTime());
      if (since + REPLAY_MS > this.parts.now().getTime()) return releaseOf(attempt, true);
      throw await this.refusal(offer, 'authorization_expired', 'the answer of this payment is no longer kept');
    }
    if (attempt.state === 'settle_failed') {
      return this.release({ kind: 'failed', reason: attempt.reason ?? 'settle_failed', attempt }, offer, true);
    }
    const lease = this.newLease();
    const { ledger, waiter, desk } = this.parts;
    const restarted = await ledger.takeOver(attempt.id, lease, RESTARTABLE, 'received');
    if (restarted) return this.carryOut(restarted, offer, lease, job);
    const unknown = await ledger.takeOver(attempt.id, lease, SETTLEABLE, 'settling');
    if (unknown) return this.release(await desk.settleAgain(unknown, lease), offer, true);
    const changed = await waiter.waitForChange(attempt, this.budgetMs());
    if (changed) return this.resume(changed, offer, job);
    throw new PaymentUnavailableError('payment_in_progress', 'this payment is still being worked on; send it again', 5);
  }

  private async reject(attempt: Attempt, offer: Offer, lease: Lease, { code, error }: PaymentFault): Promise<never> {
    await this.advance(attempt, lease, 'rejected', { reason: code });
    throw await this.refusal(offer, code, error);
  }

  /**
   * The attempt in its next state, or at its end. Whoever lost the lease knows nothing of that end any more: a refusal,
   * or a word that nothing was charged, may be wrong by now.
   */
  private async advance(attempt: Attempt, lease: Lease, to: AttemptState, change: Change): Promise<Attempt> {
    const moved = await this.parts.ledger.move(attempt, lease, to, change);
    if (moved) return moved;
    throw workedOnElsewhere();
  }

  private async refusal(offer: Offer, code: string, error: string): Promise<PaymentRequiredError> {
    return new PaymentRequiredError(await this.parts.challenge(offer, { code, error }));
  }

  private newLease(): Lease {
    return { owner: randomUUID(), forMs: this.budgetMs() };
  }

  private budgetMs(): number {
    return this.parts.workBudgetMs + SETTLE_BUDGET_MS + MARGIN_MS;
  }
}
