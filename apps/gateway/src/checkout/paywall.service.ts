import { randomUUID } from 'node:crypto';
import {
  ATTEMPT_STATES,
  FACILITATOR_TIMEOUT_MS,
  PaymentConflictError,
  type Attempt,
  type AttemptState,
  type Change,
  type Challenge,
  type Content,
  type Lease,
  type Offer,
  type PaymentLedger,
  type ReadPayload,
  type PaymentRequired,
  type PayloadReading,
  type SellingTerms,
  type SignatureCheck,
} from '@app/payments';
import { RequestError } from '../http/request-error';
import type { AttemptWaiter } from './attempt-waiter';
import { openAttempt, fingerprintOf, isUnverifiedCopy, keyOf, newAttempt, sameRequest } from './attempt';
import { matchSigned, refused, type RejectionReason } from './signed-match';
import { isKept, releaseOf, paymentInProgressError, type Answer, type Release } from './release';
import { mustWait, type Solvency } from './solvency';
import { SETTLEABLE, type Settler, type SettlementEnd } from './settler';
import { Verification, type VerificationDeps } from './verification';

/** What a handler sells, and whether it is worth the price (an answer that decides nothing is not). */
export interface Work {
  readonly content: Content;
  readonly charge: boolean;
}

/** What is done for the money. */
export interface Job {
  /** Whether the work could be done now; throws when not. Asked before any payment is asked for, or verified. */
  readonly admit: () => Promise<void>;
  readonly work: () => Promise<Work>;
}

export interface PaywallDeps extends VerificationDeps {
  readonly terms: SellingTerms;
  readonly ledger: PaymentLedger;
  readonly signatures: Pick<SignatureCheck, 'isSigned'>;
  readonly settler: Settler;
  readonly solvency: Pick<Solvency, 'waitMs' | 'refuses'>;
  readonly waiter: Pick<AttemptWaiter, 'waitForChange'>;
  readonly challenge: (offer: Offer, reason?: { readonly code: string; readonly error: string }) => Promise<Challenge>;
  /** Longest time the work of any product takes, in milliseconds. */
  readonly workBudgetMs: number;
}

/** What settling and writing things down may take on top of the work. */
const SETTLING_MS = FACILITATOR_TIMEOUT_MS + 6_000;
const NO_LONGER_KEPT = {
  code: 'authorization_expired',
  error: 'The answer to this payment is no longer kept.',
} as const;

/** Ends without a charge: the same payment sent again starts over at today's terms. */
const UNCHARGED: readonly AttemptState[] = ['rejected', 'work_failed'];

/** What is done when a payment is presented again, by the state of its attempt. */
export const RESUMPTION = {
  received: 'startOver',
  verified: 'startOver',
  working: 'startOver',
  work_failed: 'startOver',
  rejected: 'verifyAgain',
  answer_stored: 'settleAgain',
  settling: 'settleAgain',
  settle_unknown: 'settleAgain',
  settled: 'replay',
  settle_failed: 'readAgain',
  lost: 'refuse',
} as const satisfies Readonly<Record<AttemptState, string>>;

/** States in which an attempt may start over with the same authorization: nothing was sent, nothing is stored. */
const RESTARTABLE = ATTEMPT_STATES.filter((state) => ['startOver', 'verifyAgain'].includes(RESUMPTION[state]));

/** A payment that was presented for an offer, and what is done for it. */
interface Purchase {
  readonly offer: Offer;
  readonly payload: ReadPayload;
  readonly job: Job;
}

type End = Release | PaymentRequired;

/**
 * Sells one answer for one payment, for REST and MCP alike. Order: challenge, match, open the ledger row, verify, work,
 * store the answer, settle, release. Nothing is settled without a stored answer and nothing is released unsettled;
 * the same payment presented again joins, continues or replays, from any gateway process.
 */
export class Paywall {
  private readonly verification: Verification;

  constructor(private readonly deps: PaywallDeps) {
    this.verification = new Verification(deps, this.budgetMs());
  }

  /**
   * @returns the challenge when there is no payment, or one that will never settle (nothing charged)
   * @throws {PaymentConflictError} the payment, or the payer's identifier, bought something else
   * @throws {RequestError} 503: no answer of the facilitator now; the same payment may be presented again
   * @throws whatever the job throws (nothing charged)
   */
  async answer(offer: Offer, reading: PayloadReading | undefined, job: Job): Promise<Answer> {
    if (!reading?.ok) {
      await job.admit();
      return { challenge: await this.deps.challenge(offer, reading) };
    }
    const end = await this.takePayment({ offer, payload: reading.payload, job });
    return 'challenge' in end ? end : { ...end, x402Version: reading.payload.version };
  }

  private async takePayment(purchase: Purchase): Promise<End> {
    const { offer, payload } = purchase;
    const { terms } = this.deps;
    const match = await matchSigned(payload, offer, this.deps, this.budgetMs());
    if (!match.ok) {
      // What was taken once is brought to its end and stays answered, even when its price is no longer honoured.
      const begun = await this.findBegun(payload);
      if (begun) return this.resume(begun, purchase);
      if ('unread' in match) return this.verification.unavailable(match.unread);
      return this.rejection(offer, match);
    }
    const row = newAttempt(offer, payload, match, terms);
    const waitMs = await this.deps.solvency.waitMs(row);
    if (waitMs > 0 && !(await this.findBegun(payload))) throw mustWait(waitMs);
    const lease = this.newLease();
    const { attempt, owned } = await openAttempt(this.deps, row, lease);
    if (!owned) return this.resume(attempt, purchase);
    const end = await this.carryOut(attempt, lease, purchase);
    return 'challenge' in end ? end : { ...end, first: true };
  }

  /** The attempt of this payment, unless it ended without a charge or is of a copy that nobody verified. */
  private async findBegun(payload: ReadPayload): Promise<Attempt | undefined> {
    const known = await this.deps.ledger.findByAuthorization(keyOf(payload, this.deps.terms));
    return known && !UNCHARGED.includes(known.state) && !isUnverifiedCopy(known, payload) ? known : undefined;
  }

  /** Drives a fresh (or restarted) attempt from verification to release. */
  private async carryOut(attempt: Attempt, lease: Lease, { offer, job }: Purchase): Promise<End> {
    await this.orGiveUp(attempt, lease, 'not_admitted', job.admit);
    const working = await this.verify(attempt, offer, lease);
    if ('challenge' in working) return working;
    const withdraw = async (reason: string): Promise<void> => {
      await this.advance(working, lease, 'rejected', { reason });
    };
    const refusal = await this.deps.solvency.refuses(working, withdraw);
    if (refusal) return this.rejection(offer, refused('insufficient_funds'));
    const { content, charge } = await this.orGiveUp(working, lease, 'work_failed', job.work);
    if (!charge) {
      await this.advance(working, lease, 'work_failed', { reason: 'not_charged' });
      return { ...content, replayed: false };
    }
    const settling = await this.advance(working, lease, 'settling', { through: 'answer_stored', answer: content });
    return this.release(await this.deps.settler.settle(settling, lease), offer, false);
  }

  /** The attempt in `working`, or why it never gets there. */
  private async verify(attempt: Attempt, offer: Offer, lease: Lease): Promise<Attempt | PaymentRequired> {
    const fault = await this.orGiveUp(attempt, lease, 'facilitator_unavailable', () =>
      this.verification.faultOf(attempt),
    );
    if (fault) {
      await this.advance(attempt, lease, 'rejected', { reason: fault.code });
      return this.rejection(offer, fault);
    }
    return this.advance(attempt, lease, 'working', { through: 'verified' }).catch(async (error: unknown) => {
      if (error instanceof PaymentConflictError) {
        await this.advance(attempt, lease, 'rejected', { reason: error.code });
      }
      throw error;
    });
  }

  /** What a step before the settlement comes to; when it fails, nothing is charged. */
  private async orGiveUp<T>(attempt: Attempt, lease: Lease, reason: string, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      await this.advance(attempt, lease, 'work_failed', { reason });
      throw error;
    }
  }

  private async release(end: SettlementEnd, offer: Offer, replayed: boolean): Promise<End> {
    if (end.kind === 'settled') return releaseOf(end.attempt, replayed);
    if (end.kind === 'elsewhere') throw paymentInProgressError();
    if (end.kind === 'unknown') throw new RequestError('settlement_unknown'); // the money may have moved
    const { reason, attempt } = end;
    const error = `The payment could not be settled: ${reason}.`;
    const failed = { reason, network: attempt.network, payer: attempt.payer };
    return { challenge: await this.deps.challenge(offer, { code: reason, error }), failed };
  }

  /** Takes the step of {@link RESUMPTION} for a payment that was seen before. @throws {PaymentConflictError} */
  private async resume(attempt: Attempt, purchase: Purchase): Promise<End> {
    const known = sameRequest(attempt, fingerprintOf(purchase.offer), purchase.payload);
    return this[RESUMPTION[known.state]](known, purchase);
  }

  private async replay(attempt: Attempt, { offer }: Purchase): Promise<End> {
    if (isKept(attempt, this.deps.now())) return releaseOf(attempt, true);
    return this.rejection(offer, NO_LONGER_KEPT);
  }

  /** Reads the chain once more before it says that a settlement failed. */
  private async readAgain(attempt: Attempt, purchase: Purchase): Promise<End> {
    const known = attempt.watched ? await this.deps.settler.recheck(attempt) : attempt;
    if (!known) throw new RequestError('settlement_unknown');
    return known.state === attempt.state ? this.refuse(attempt, purchase) : this.resume(known, purchase);
  }

  private refuse(attempt: Attempt, { offer }: Purchase): Promise<End> {
    return this.release({ kind: 'failed', reason: attempt.reason ?? 'settle_failed', attempt }, offer, true);
  }

  /** Verified again before the row is touched, so that a repetition leaves nothing behind. */
  private async verifyAgain(attempt: Attempt, purchase: Purchase): Promise<End> {
    const { offer, payload, job } = purchase;
    await job.admit();
    const reason = await this.verification.faultOf(attempt);
    if (!reason) return this.startOver(attempt, purchase);
    const now = await this.deps.ledger.find(attempt.id);
    // The same payment, sent twice, may have been settled meanwhile: then that is why it is refused.
    if (now && now.state !== 'rejected' && !isUnverifiedCopy(now, payload)) return this.resume(now, purchase);
    return this.rejection(offer, reason);
  }

  private async startOver(attempt: Attempt, purchase: Purchase): Promise<End> {
    const lease = this.newLease();
    const name = purchase.payload.identifier ?? null;
    const restarted = await this.deps.ledger.takeOver(attempt, lease, RESTARTABLE, 'received', name);
    return restarted ? this.carryOut(restarted, lease, purchase) : this.join(attempt, purchase);
  }

  private async settleAgain(attempt: Attempt, purchase: Purchase): Promise<End> {
    const lease = this.newLease();
    const unknown = await this.deps.ledger.takeOver(attempt, lease, SETTLEABLE, 'settling');
    if (!unknown) return this.join(attempt, purchase);
    return this.release(await this.deps.settler.settleAgain(unknown, lease), purchase.offer, true);
  }

  /** Waits for the request that drives the attempt. */
  private async join(attempt: Attempt, purchase: Purchase): Promise<End> {
    const changed = await this.deps.waiter.waitForChange(attempt, this.budgetMs());
    if (changed?.payloadDigest === attempt.payloadDigest) return this.resume(changed, purchase);
    throw new RequestError('payment_in_progress');
  }

  /**
   * The attempt in its next state, or at its end. A gateway that lost the lease does not know that end any more: an
   * error response, or a statement that nothing was charged, may be wrong by now.
   */
  private async advance(attempt: Attempt, lease: Lease, to: AttemptState, change: Change): Promise<Attempt> {
    const moved = await this.deps.ledger.move(attempt, lease, to, change);
    if (moved) return moved;
    throw paymentInProgressError();
  }

  private async rejection(offer: Offer, reason: RejectionReason): Promise<PaymentRequired> {
    return { challenge: await this.deps.challenge(offer, reason) };
  }

  private newLease(): Lease {
    return { owner: randomUUID(), forMs: this.budgetMs() };
  }

  private budgetMs(): number {
    return this.deps.workBudgetMs + SETTLING_MS;
  }
}
