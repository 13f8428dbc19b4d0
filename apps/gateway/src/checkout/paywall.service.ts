import { randomUUID } from 'node:crypto';
import {
  FACILITATOR_TIMEOUT_MS,
  PaymentConflictError,
  type Attempt,
  type AttemptState,
  type Change,
  type Challenge,
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
import { claimRow, fingerprintOf, isUnverifiedCopy, keyOf, newClaim, sameRequest } from './claim';
import { matchSigned, refused, type RejectionReason } from './signed-match';
import { isKept, releaseOf, workedOnElsewhere, type Answer, type Release } from './release';
import { mustWait, type Solvency } from './solvency';
import { SETTLEABLE, type Settler, type SettlementEnd } from './settler';
import { Verification, type VerificationDeps } from './verification';

/** What a handler sells: the body to release, and whether it is worth the price (an answer that decides nothing is not). */
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
const SETTLE_BUDGET_MS = FACILITATOR_TIMEOUT_MS;
const MARGIN_MS = 6_000;

/** Ends without a charge: the same payment sent again starts over at today's terms. */
const UNCHARGED: readonly AttemptState[] = ['rejected', 'work_failed'];
/** States in which an attempt may start over with the same authorization: nothing was sent, nothing is stored. */
const RESTARTABLE: readonly AttemptState[] = [...UNCHARGED, 'received', 'verified', 'working'];

/**
 * Sells one answer for one payment, for REST and MCP alike. Order: challenge, match, claim the ledger row, verify, work,
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
  async sell(offer: Offer, reading: PayloadReading | undefined, job: Job): Promise<Answer> {
    if (!reading?.ok) {
      await job.admit();
      return { challenge: await this.deps.challenge(offer, reading) };
    }
    const end = await this.takePayment(offer, reading.payload, job);
    return 'challenge' in end ? end : { ...end, x402Version: reading.payload.version };
  }

  private async takePayment(offer: Offer, payload: ReadPayload, job: Job): Promise<Release | PaymentRequired> {
    const { terms } = this.deps;
    const match = await matchSigned(payload, offer, this.deps, this.budgetMs());
    if (!match.ok) {
      // What was taken once is brought to its end and stays answered, even when its price is no longer honoured.
      const begun = await this.findBegun(payload);
      if (begun) return this.resume(sameRequest(begun, fingerprintOf(offer), payload), payload, offer, job);
      if ('unread' in match) return this.verification.unavailable(match.unread);
      return this.rejection(offer, match.code, match.error);
    }
    const claim = newClaim(offer, payload, match, terms);
    const waitMs = await this.deps.solvency.waitMs(claim);
    if (waitMs > 0 && !(await this.findBegun(payload))) throw mustWait(waitMs);
    const lease = this.newLease();
    const { attempt, owned } = await claimRow(this.deps, claim, lease);
    if (owned) return asFirst(await this.carryOut(attempt, offer, lease, job));
    return this.resume(sameRequest(attempt, claim.fingerprint, payload), payload, offer, job);
  }

  /** The attempt of this payment, unless it ended without a charge or is of a copy that nobody verified. */
  private async findBegun(payload: ReadPayload): Promise<Attempt | undefined> {
    const known = await this.deps.ledger.findByAuthorization(keyOf(payload, this.deps.terms));
    return known && !UNCHARGED.includes(known.state) && !isUnverifiedCopy(known, payload) ? known : undefined;
  }

  /** Drives a fresh (or restarted) attempt from verification to release. */
  private async carryOut(attempt: Attempt, offer: Offer, lease: Lease, job: Job): Promise<Release | PaymentRequired> {
    await this.admit(attempt, lease, job);
    const working = await this.verify(attempt, offer, lease);
    if ('challenge' in working) return working;
    const withdraw = async (reason: string): Promise<void> => {
      await this.advance(working, lease, 'rejected', { reason });
    };
    if (await this.deps.solvency.refuses(working, withdraw)) {
      const { code, error } = refused('insufficient_funds');
      return this.rejection(offer, code, error);
    }
    const { body, charge } = await this.work(working, lease, job);
    if (!charge) {
      await this.advance(working, lease, 'work_failed', { reason: 'not_charged' });
      return { body, replayed: false };
    }
    const settling = await this.advance(working, lease, 'settling', { through: 'answer_stored', answer: body });
    return this.release(await this.deps.settler.settle(settling, lease), offer, false);
  }

  private async admit(attempt: Attempt, lease: Lease, job: Job): Promise<void> {
    try {
      await job.admit();
    } catch (error) {
      await this.advance(attempt, lease, 'work_failed', { reason: 'not_admitted' });
      throw error;
    }
  }

  /** The attempt in `working`, or why it never gets there. */
  private async verify(attempt: Attempt, offer: Offer, lease: Lease): Promise<Attempt | PaymentRequired> {
    const reason = await this.verification.faultOf(attempt).catch(async (error: unknown) => {
      await this.advance(attempt, lease, 'work_failed', { reason: 'facilitator_unavailable' });
      throw error;
    });
    if (reason) return this.reject(attempt, offer, lease, reason);
    return this.advance(attempt, lease, 'working', { through: 'verified' }).catch(async (error: unknown) => {
      if (error instanceof PaymentConflictError) {
        await this.advance(attempt, lease, 'rejected', { reason: error.code });
      }
      throw error;
    });
  }

  private async work(attempt: Attempt, lease: Lease, job: Job): Promise<Work> {
    try {
      return await job.work();
    } catch (error) {
      await this.advance(attempt, lease, 'work_failed', { reason: 'work_failed' });
      throw error;
    }
  }

  private async release(end: SettlementEnd, offer: Offer, replayed: boolean): Promise<Release | PaymentRequired> {
    if (end.kind === 'settled') return releaseOf(end.attempt, replayed);
    if (end.kind === 'elsewhere') throw workedOnElsewhere();
    if (end.kind === 'unknown') throw new RequestError('settlement_unknown'); // the money may have moved
    const { reason, attempt } = end;
    const error = `the payment could not be settled: ${reason}`;
    const failed = { reason, network: attempt.network, payer: attempt.payer };
    return { challenge: await this.deps.challenge(offer, { code: reason, error }), failed };
  }

  /** The same payment for the same request was seen before: replay, wait, continue or start over. */
  private async resume(
    attempt: Attempt,
    payload: ReadPayload,
    offer: Offer,
    job: Job,
  ): Promise<Release | PaymentRequired> {
    if (attempt.state === 'settled') {
      if (isKept(attempt, this.deps.now())) return releaseOf(attempt, true);
      return this.rejection(offer, 'authorization_expired', 'the answer of this payment is no longer kept');
    }
    if (attempt.state === 'settle_failed' && attempt.watched) {
      const known = await this.deps.settler.recheck(attempt);
      if (!known) throw new RequestError('settlement_unknown');
      if (known.state !== attempt.state) return this.resume(known, payload, offer, job);
    }
    if (attempt.state === 'settle_failed' || attempt.state === 'lost') {
      return this.release({ kind: 'failed', reason: attempt.reason ?? 'settle_failed', attempt }, offer, true);
    }
    const lease = this.newLease();
    const { ledger, waiter, settler } = this.deps;
    if (attempt.state === 'rejected') {
      // Verified again before the row is touched, so that a repetition leaves nothing behind.
      await job.admit();
      const reason = await this.verification.faultOf(attempt);
      const now = reason && (await ledger.find(attempt.id));
      // The same payment, sent twice, may have been settled meanwhile: then that is why it is refused.
      if (now && now.state !== 'rejected' && !isUnverifiedCopy(now, payload)) {
        return this.resume(sameRequest(now, fingerprintOf(offer), payload), payload, offer, job);
      }
      if (reason) return this.rejection(offer, reason.code, reason.error);
    }
    const name = payload.identifier ?? null;
    const restarted = await ledger.takeOver(attempt, lease, RESTARTABLE, 'received', name);
    if (restarted) return this.carryOut(restarted, offer, lease, job);
    const unknown = await ledger.takeOver(attempt, lease, SETTLEABLE, 'settling');
    if (unknown) return this.release(await settler.settleAgain(unknown, lease), offer, true);
    const changed = await waiter.waitForChange(attempt, this.budgetMs());
    if (changed?.payloadDigest === attempt.payloadDigest) return this.resume(changed, payload, offer, job);
    throw new RequestError('payment_in_progress');
  }

  private async reject(
    attempt: Attempt,
    offer: Offer,
    lease: Lease,
    { code, error }: RejectionReason,
  ): Promise<PaymentRequired> {
    await this.advance(attempt, lease, 'rejected', { reason: code });
    return this.rejection(offer, code, error);
  }

  /**
   * The attempt in its next state, or at its end. A gateway that lost the lease does not know that end any more: an
   * error response, or a statement that nothing was charged, may be wrong by now.
   */
  private async advance(attempt: Attempt, lease: Lease, to: AttemptState, change: Change): Promise<Attempt> {
    const moved = await this.deps.ledger.move(attempt, lease, to, change);
    if (moved) return moved;
    throw workedOnElsewhere();
  }

  private async rejection(offer: Offer, code: string, error: string): Promise<PaymentRequired> {
    return { challenge: await this.deps.challenge(offer, { code, error }) };
  }

  private newLease(): Lease {
    return { owner: randomUUID(), forMs: this.budgetMs() };
  }

  private budgetMs(): number {
    return this.deps.workBudgetMs + SETTLE_BUDGET_MS + MARGIN_MS;
  }
}

function asFirst(end: Release | PaymentRequired): Release | PaymentRequired {
  return 'challenge' in end ? end : { ...end, first: true };
}
