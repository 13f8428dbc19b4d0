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

/** The result of a job, and whether it is charged: an inconclusive answer is not. */
export interface Work {
  readonly content: Content;
  readonly charge: boolean;
}

/** The work that a payment buys. */
export interface Job {
  /** Throws if the work cannot be done now. Called before a payment is requested or verified. */
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
  /** The longest time that the work of any product takes, in milliseconds. */
  readonly workBudgetMs: number;
}

/** Time for settling and for the ledger, on top of the work. */
const SETTLING_MS = FACILITATOR_TIMEOUT_MS + 6_000;
const NO_LONGER_KEPT = {
  code: 'authorization_expired',
  error: 'The answer to this payment is no longer kept.',
} as const;

/** These states end without a charge: the same payment may start over at today's terms. */
const UNCHARGED: readonly AttemptState[] = ['rejected', 'work_failed'];

/** The action for a payment that is presented again, by the state of its attempt. */
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

/**
 * States in which an attempt may start over with the same authorization, because nothing was sent and no answer is
 * stored.
 */
const RESTARTABLE = ATTEMPT_STATES.filter((state) => ['startOver', 'verifyAgain'].includes(RESUMPTION[state]));

/** A payment presented for an offer, with the work it buys. */
interface Purchase {
  readonly offer: Offer;
  readonly payload: ReadPayload;
  readonly job: Job;
}

type End = Release | PaymentRequired;

/**
 * Sells one answer for one payment, over REST and MCP. The order is: challenge, match, create the ledger row, verify,
 * work, store the answer, settle, release. We settle only after an answer is stored, and release it only after
 * settlement. If the same payment is presented again, to any gateway process, it joins, continues or replays the sale.
 */
export class Paywall {
  private readonly verification: Verification;

  constructor(private readonly deps: PaywallDeps) {
    this.verification = new Verification(deps, this.budgetMs());
  }

  /**
   * @returns the challenge if there is no payment, or if the payment will never settle (nothing was charged)
   * @throws {PaymentConflictError} the payment, or the payer's identifier, already bought something else
   * @throws {RequestError} 503: the facilitator does not answer; the same payment may be sent again
   * @throws any error of the job (nothing was charged)
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
      // A payment that was accepted once is completed, even if its price is no longer offered.
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

  /** The attempt of this payment, unless it ended without a charge or belongs to an unverified copy. */
  private async findBegun(payload: ReadPayload): Promise<Attempt | undefined> {
    const known = await this.deps.ledger.findByAuthorization(keyOf(payload, this.deps.terms));
    return known && !UNCHARGED.includes(known.state) && !isUnverifiedCopy(known, payload) ? known : undefined;
  }

  /** Drives a new (or restarted) attempt from verification to release. */
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

  /** Moves the attempt to `working`, or tells why that is impossible. */
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

  /** Runs a step that comes before the settlement. If it fails, the attempt is given up and nothing is charged. */
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

  /**
   * Takes the action of {@link RESUMPTION} for a payment that is already in the ledger. @throws {PaymentConflictError}
   */
  private async resume(attempt: Attempt, purchase: Purchase): Promise<End> {
    const known = sameRequest(attempt, fingerprintOf(purchase.offer), purchase.payload);
    return this[RESUMPTION[known.state]](known, purchase);
  }

  private async replay(attempt: Attempt, { offer }: Purchase): Promise<End> {
    if (isKept(attempt, this.deps.now())) return releaseOf(attempt, true);
    return this.rejection(offer, NO_LONGER_KEPT);
  }

  /** Reads the chain once more before reporting that a settlement failed. */
  private async readAgain(attempt: Attempt, purchase: Purchase): Promise<End> {
    const known = attempt.watched ? await this.deps.settler.recheck(attempt) : attempt;
    if (!known) throw new RequestError('settlement_unknown');
    return known.state === attempt.state ? this.refuse(attempt, purchase) : this.resume(known, purchase);
  }

  private refuse(attempt: Attempt, { offer }: Purchase): Promise<End> {
    return this.release({ kind: 'failed', reason: attempt.reason ?? 'settle_failed', attempt }, offer, true);
  }

  /** Verifies again before it changes the row, so that repeated requests leave no trace. */
  private async verifyAgain(attempt: Attempt, purchase: Purchase): Promise<End> {
    const { offer, payload, job } = purchase;
    await job.admit();
    const reason = await this.verification.faultOf(attempt);
    if (!reason) return this.startOver(attempt, purchase);
    const now = await this.deps.ledger.find(attempt.id);
    // The facilitator may refuse because the same payment, sent twice, has been settled meanwhile.
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
   * Moves the attempt to its next state. A gateway that lost the lease no longer knows the outcome, so any error
   * response or "nothing was charged" from it could be wrong.
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
