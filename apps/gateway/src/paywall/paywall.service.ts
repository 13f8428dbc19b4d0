import { randomUUID } from 'node:crypto';
import type { AuthorizationReader } from '@app/chain';
import {
  challengeFor,
  FACILITATOR_TIMEOUT_MS,
  matchProof,
  PaymentConflictError,
  PaymentRequiredError,
  PaymentUnavailableError,
  requirementFor,
  validityFault,
  type Attempt,
  type AttemptState,
  type Authorization,
  type Claim,
  type Facilitator,
  type Lease,
  type Offer,
  type PaymentLedger,
  type ProofReading,
  type SellingTerms,
  type Settlement,
} from '@app/payments';
import type { AttemptWaiter } from './attempt-waiter';

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

export interface Sale {
  readonly body: string;
  /** Missing when the answer was given away. */
  readonly settlement?: Settlement;
  /** The same payment was presented before; this is the answer it bought, uncharged. */
  readonly replayed: boolean;
}

export interface PaywallParts {
  readonly terms: SellingTerms;
  readonly ledger: PaymentLedger;
  readonly facilitator: Facilitator;
  readonly chain: AuthorizationReader;
  readonly waiter: Pick<AttemptWaiter, 'waitForChange'>;
  /** Longest time the work of any product takes, in milliseconds. */
  readonly workBudgetMs: number;
  readonly now?: () => Date;
}

/** What settling and writing things down may take on top of the work. */
const SETTLE_BUDGET_MS = FACILITATOR_TIMEOUT_MS;
const MARGIN_MS = 6_000;

/** States in which an attempt may start over with the same authorization: nothing was sent, nothing is stored. */
const RESTARTABLE: readonly AttemptState[] = ['rejected', 'work_failed', 'received', 'verified', 'working'];

/**
 * Sells one answer for one payment, for REST and MCP alike. Order: challenge, match, claim the ledger row, verify, work,
 * store the answer, settle, release. Nothing is settled without a stored answer and nothing is released unsettled;
 * the same payment presented again joins, continues or replays, from any gateway process.
 */
export class Paywall {
  constructor(private readonly parts: PaywallParts) {}

  /**
   * @throws {PaymentRequiredError} no payment, or one that will never settle (nothing charged)
   * @throws {PaymentConflictError} the payment bought another request
   * @throws {PaymentUnavailableError} no verdict now; the same payment may be presented again
   * @throws whatever the job throws (nothing charged)
   */
  async sell(offer: Offer, reading: ProofReading | undefined, job: Job): Promise<Sale> {
    if (!reading?.ok) await job.admit();
    const claim = this.claimFor(offer, reading);
    const lease = this.newLease();
    const { attempt, owned } = await this.parts.ledger.claim(claim, lease);
    if (owned) return this.carryOut(attempt, offer, lease, job);
    if (attempt.fingerprint !== claim.fingerprint || attempt.payloadDigest !== claim.payloadDigest) {
      throw new PaymentConflictError();
    }
    return this.resume(attempt, offer, job);
  }

  private claimFor(offer: Offer, reading: ProofReading | undefined): Claim {
    const { terms } = this.parts;
    if (!reading) throw new PaymentRequiredError(challengeFor(offer, terms));
    if (!reading.ok) throw this.refusal(offer, reading.code, reading.error);
    const requirement = requirementFor(offer, terms);
    const match = matchProof(reading.proof, offer, requirement);
    if (!match.ok) throw this.refusal(offer, match.code, match.error);
    const { authorization, digest } = reading.proof;
    return {
      network: requirement.network,
      asset: requirement.asset.toLowerCase(),
      payer: authorization.from.toLowerCase(),
      nonce: authorization.nonce.toLowerCase(),
      payTo: requirement.payTo,
      amount: offer.priceAtomic,
      validBefore: new Date(Number(authorization.validBefore) * 1_000),
      sku: offer.sku,
      fingerprint: [offer.method, offer.resource, offer.bodyHash].join(' '),
      resource: offer.resource,
      payloadDigest: digest,
      payment: match.payment,
      requirement,
    };
  }

  /** Drives a fresh (or restarted) attempt from verification to release. */
  private async carryOut(attempt: Attempt, offer: Offer, lease: Lease, job: Job): Promise<Sale> {
    await this.admit(attempt, lease, job);
    await this.verify(attempt, offer, lease);
    await this.advance(attempt.id, lease, 'verified', 'working');
    const done = await this.work(attempt, lease, job);
    if (!done.charge) {
      await this.parts.ledger.move(attempt.id, lease, 'working', 'work_failed', { reason: 'not_charged' });
      return { body: done.body, replayed: false };
    }
    const stored = await this.advance(attempt.id, lease, 'working', 'answer_stored', { answer: done.body });
    return this.settle(stored, offer, lease, false);
  }

  private async admit(attempt: Attempt, lease: Lease, job: Job): Promise<void> {
    try {
      await job.admit();
    } catch (error) {
      await this.parts.ledger.move(attempt.id, lease, 'received', 'work_failed', { reason: 'not_admitted' });
      throw error;
    }
  }

  private async verify(attempt: Attempt, offer: Offer, lease: Lease): Promise<void> {
    const { ledger, facilitator } = this.parts;
    const { authorization } = attempt.payment.payload as { readonly authorization: Authorization };
    const fault = validityFault(authorization, attempt.requirement.maxTimeoutSeconds, this.now(), this.budgetMs());
    if (fault) {
      await ledger.move(attempt.id, lease, 'received', 'rejected', { reason: fault.code });
      throw this.refusal(offer, fault.code, fault.error);
    }
    const verdict = await facilitator.verify(attempt.payment, attempt.requirement).catch(async () => {
      await ledger.move(attempt.id, lease, 'received', 'work_failed', { reason: 'facilitator_unavailable' });
      throw new PaymentUnavailableError(
        'facilitator_unavailable',
        'payments cannot be verified right now; nothing was charged',
        5,
      );
    });
    if (!verdict.ok) {
      await ledger.move(attempt.id, lease, 'received', 'rejected', { reason: verdict.reason });
      throw this.refusal(offer, verdict.reason, `the payment was refused: ${verdict.reason}`);
    }
    await this.advance(attempt.id, lease, 'received', 'verified');
  }

  private async work(attempt: Attempt, lease: Lease, job: Job): Promise<Work> {
    try {
      return await job.work();
    } catch (error) {
      await this.parts.ledger.move(attempt.id, lease, 'working', 'work_failed', { reason: 'work_failed' });
      throw error;
    }
  }

  /** Settles a stored answer and releases it. An outcome that cannot be read is looked up on the chain. */
  private async settle(attempt: Attempt, offer: Offer, lease: Lease, replayed: boolean): Promise<Sale> {
    const { facilitator } = this.parts;
    await this.advance(attempt.id, lease, 'answer_stored', 'settling');
    const outcome = await facilitator.settle(attempt.payment, attempt.requirement);
    if (outcome.kind === 'settled') {
      return this.release(attempt, lease, { ...outcome.settlement, payer: attempt.payer }, replayed);
    }
    return this.findOut(attempt, offer, lease, outcome.kind === 'refused' ? outcome.reason : undefined, replayed);
  }

  /** Reads the chain after a settlement that did not report success. `refused`: the facilitator says nothing was sent. */
  private async findOut(
    attempt: Attempt,
    offer: Offer,
    lease: Lease,
    refused: string | undefined,
    replayed: boolean,
  ): Promise<Sale> {
    const { ledger, chain } = this.parts;
    const fate = await chain.fateOf(attempt);
    if (fate.kind === 'settled') {
      const settlement = { transaction: fate.transaction, network: attempt.network, payer: attempt.payer };
      return this.release(attempt, lease, settlement, replayed);
    }
    const reason =
      fate.kind === 'void'
        ? 'authorization_canceled'
        : fate.kind === 'unused' && this.isOver(attempt)
          ? 'authorization_expired'
          : refused;
    if (reason !== undefined) {
      await ledger.move(attempt.id, lease, 'settling', 'settle_failed', { reason });
      throw this.refusal(offer, reason, `the payment could not be settled: ${reason}`);
    }
    await ledger.move(attempt.id, lease, 'settling', 'settle_unknown', { reason: 'settlement_unknown' });
    throw new PaymentUnavailableError(
      'settlement_unknown',
      'the settlement is not confirmed yet; send the same payment again to get the answer, it is not charged twice',
      5,
    );
  }

  private async release(attempt: Attempt, lease: Lease, settlement: Settlement, replayed: boolean): Promise<Sale> {
    const settled = await this.advance(attempt.id, lease, 'settling', 'settled', { settlement });
    return saleOf(settled, replayed);
  }

  /** The same payment for the same request was seen before: replay, wait, continue or start over. */
  private async resume(attempt: Attempt, offer: Offer, job: Job): Promise<Sale> {
    if (attempt.state === 'settled') return saleOf(attempt, true);
    if (attempt.state === 'settle_failed') {
      throw this.refusal(
        offer,
        attempt.reason ?? 'settle_failed',
        `the payment could not be settled: ${attempt.reason ?? ''}`,
      );
    }
    const lease = this.newLease();
    const { ledger, waiter } = this.parts;
    const restarted = await ledger.takeOver(attempt.id, lease, RESTARTABLE, 'received');
    if (restarted) return this.carryOut(restarted, offer, lease, job);
    const stored = await ledger.takeOver(attempt.id, lease, ['answer_stored'], 'answer_stored');
    if (stored) return this.settle(stored, offer, lease, true);
    const unknown = await ledger.takeOver(attempt.id, lease, ['settling', 'settle_unknown'], 'settling');
    if (unknown) return this.settleAgain(unknown, offer, lease);
    const changed = await waiter.waitForChange(attempt, this.budgetMs());
    if (changed) return this.resume(changed, offer, job);
    throw new PaymentUnavailableError('payment_in_progress', 'this payment is still being worked on; send it again', 5);
  }

  /**
   * A settlement whose outcome was lost: the chain first, and only an unused authorization is sent once more. Even a
   * refusal decides nothing then, for the first sending may still be under way until the authorization ends.
   */
  private async settleAgain(attempt: Attempt, offer: Offer, lease: Lease): Promise<Sale> {
    const fate = await this.parts.chain.fateOf(attempt);
    if (fate.kind !== 'unused' || this.isOver(attempt)) return this.findOut(attempt, offer, lease, undefined, true);
    const outcome = await this.parts.facilitator.settle(attempt.payment, attempt.requirement);
    if (outcome.kind === 'settled') {
      return this.release(attempt, lease, { ...outcome.settlement, payer: attempt.payer }, true);
    }
    return this.findOut(attempt, offer, lease, undefined, true);
  }

  private async advance(
    id: string,
    lease: Lease,
    from: AttemptState,
    to: AttemptState,
    change?: Parameters<PaymentLedger['move']>[4],
  ): Promise<Attempt> {
    const moved = await this.parts.ledger.move(id, lease, from, to, change);
    if (moved) return moved;
    // Somebody took the attempt over while we were slow; the buyer's next try meets it wherever it is.
    throw new PaymentUnavailableError(
      'payment_in_progress',
      'this payment is being worked on elsewhere; send it again',
      2,
    );
  }

  private refusal(offer: Offer, code: string, error: string): PaymentRequiredError {
    return new PaymentRequiredError(challengeFor(offer, this.parts.terms, { code, error }));
  }

  private newLease(): Lease {
    return { owner: randomUUID(), forMs: this.budgetMs() };
  }

  private budgetMs(): number {
    return this.parts.workBudgetMs + SETTLE_BUDGET_MS + MARGIN_MS;
  }

  /** A minute of grace: block time and our clock differ. */
  private isOver(attempt: Attempt): boolean {
    return attempt.validBefore.getTime() + 60_000 < this.now().getTime();
  }

  private now(): Date {
    return this.parts.now?.() ?? new Date();
  }
}

function saleOf(attempt: Attempt, replayed: boolean): Sale {
  if (attempt.answer === null || attempt.settlement === null)
    throw new Error('a settled attempt has an answer and a settlement');
  return { body: attempt.answer, settlement: attempt.settlement, replayed };
}
