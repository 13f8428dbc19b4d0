import { traced } from '@app/platform';
import {
  type AuthorizationFate,
  type AuthorizationReader,
  FACILITATOR_SILENT,
  TRANSACTION_CORRECTED,
  TRANSFER_VANISHED,
  type Attempt,
  type AttemptState,
  type Facilitator,
  type Lease,
  type OfferSigner,
  type PaymentLedger,
  type Settlement,
  type SettlementOutcome,
} from '@app/payments';

/** How a settlement ended, as far as it can be known. */
export type SettlementEnd =
  /** The money moved; the attempt is `settled` and its answer may be released. */
  | { readonly kind: 'settled'; readonly attempt: Attempt }
  /** It will never move; the attempt is `settle_failed`. */
  | { readonly kind: 'failed'; readonly reason: string; readonly attempt: Attempt }
  /** It may have moved or may yet; the attempt is `settle_unknown` until that is found out. */
  | { readonly kind: 'unknown' }
  /** Another gateway drives the attempt by now and writes down how it ends. */
  | { readonly kind: 'elsewhere' };

export interface SettlerDeps {
  readonly ledger: Pick<PaymentLedger, 'move' | 'revise' | 'watch'>;
  readonly facilitator: Pick<Facilitator, 'settle'>;
  /** Null when no node is configured: then the facilitator's word is all there is. */
  readonly chain: AuthorizationReader | null;
  /** Whether an answer is released on the facilitator's word, which is held against the chain afterwards. */
  readonly trust: boolean;
  /** Waits so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Signs receipts; null leaves the extension out. */
  readonly signer: Pick<OfferSigner, 'receiptFor'> | null;
  /** Products whose receipts are signed. */
  readonly signed: ReadonlySet<string>;
  /** Told of a receipt that could not be signed. */
  readonly unsigned: (error: unknown) => void;
  readonly now: () => Date;
}

/** Block time and the clock of this machine differ: an authorization is over when its end is this long ago. */
export const EXPIRY_GRACE_MS = 60_000;

/** States of an attempt that has its answer, and may have its money on the way. */
export const SETTLEABLE: readonly AttemptState[] = ['answer_stored', 'settling', 'settle_unknown'];

/** The payer did not have the money when it was to be moved: read on the chain, not said by a facilitator. */
const INSUFFICIENT_BALANCE = 'insufficient_balance';
/** The payer's contract refused the transfer whose authorization it had accepted when it was asked. */
const WALLET_REFUSED = 'wallet_refused';
const PAYER_FAULTS: ReadonlySet<string> = new Set([INSUFFICIENT_BALANCE, WALLET_REFUSED]);

/** Pauses between readings of a node that does not have the block yet in which a facilitator says it settled. */
const NODE_LAG_MS: readonly number[] = [250, 500, 1_000, 2_000];

/**
 * Settles stored answers, for a buyer who waits and for the reconciler alike: `settle` and `settleAgain` need the attempt's
 * lease. An attempt is `settled` when the transfer was read on the chain, unless there is no node or the facilitator is
 * trusted; what is written is held against the chain again until it is final (`recheck`).
 */
export class Settler {
  constructor(private readonly deps: SettlerDeps) {}

  /** Settles an attempt in `settling` whose answer was just stored: nothing was sent for it yet. */
  async settle(attempt: Attempt, lease: Lease): Promise<SettlementEnd> {
    const { payment, requirement } = attempt;
    const outcome = await traced('settle payment', {}, () => this.deps.facilitator.settle(payment, requirement));
    const trusted = this.deps.trust || !this.deps.chain;
    if (trusted && outcome.kind === 'settled') return this.close(attempt, lease, outcome.transaction);
    return this.conclude(attempt, lease, await this.fateAfter(attempt, outcome), { outcome, first: true });
  }

  /**
   * Goes on with an attempt in `settling` whose earlier outcome was lost: the chain first, and only an unused
   * authorization is sent once more. A facilitator that refuses it decides nothing now, as the first transaction may still be on its way:
   * the attempt is given up only when its authorization has ended unused.
   */
  async settleAgain(attempt: Attempt, lease: Lease): Promise<SettlementEnd> {
    const fate = await this.fateOf(attempt);
    if (fate.kind !== 'unused' || isOver(attempt, this.deps.now())) return this.conclude(attempt, lease, fate);
    const outcome = await this.deps.facilitator.settle(attempt.payment, attempt.requirement);
    return this.conclude(attempt, lease, await this.fateAfter(attempt, outcome), { outcome, first: false });
  }

  /**
   * Holds a watched attempt against the chain: a wrong transaction is corrected, a transfer that vanished is settled again
   * or booked as `lost`, and one that came after all makes the attempt `settled`. Needs no lease.
   * @returns the attempt as it is now; undefined when the chain cannot be read, or another gateway was faster
   */
  async recheck(attempt: Attempt): Promise<Attempt | undefined> {
    const { chain, ledger } = this.deps;
    if (!chain) {
      await ledger.watch(attempt, true); // no node will say more
      return attempt;
    }
    const fate = await chain.fateOf(attempt, attempt.settlement?.transaction);
    if (fate.kind === 'unreadable') {
      await ledger.watch(attempt, false);
      return undefined;
    }
    if (fate.kind === 'settled') return this.keep(attempt, fate, chain);
    if (attempt.state === 'settled') return this.reopen(attempt, fate);
    await ledger.watch(attempt, this.reasonOf(attempt, fate) !== undefined);
    return attempt;
  }

  private async keep(
    attempt: Attempt,
    { transaction, block }: Extract<AuthorizationFate, { kind: 'settled' }>,
    chain: AuthorizationReader,
  ): Promise<Attempt | undefined> {
    if (attempt.state === 'settled' && attempt.settlement?.transaction.toLowerCase() === transaction.toLowerCase()) {
      const final = await chain.finalBlock();
      await this.deps.ledger.watch(attempt, final !== undefined && block <= final);
      return attempt;
    }
    const settlement = await this.receiptOf(attempt, transaction);
    const change = attempt.state === 'settled' ? { settlement, reason: TRANSACTION_CORRECTED } : { settlement };
    return this.deps.ledger.revise(attempt, 'settled', change);
  }

  private reopen(attempt: Attempt, fate: AuthorizationFate): Promise<Attempt | undefined> {
    const ended = this.reasonOf(attempt, fate) !== undefined;
    return this.deps.ledger.revise(attempt, ended ? 'lost' : 'settle_unknown', { reason: TRANSFER_VANISHED });
  }

  private async fateOf(attempt: Attempt): Promise<AuthorizationFate> {
    return (await this.deps.chain?.fateOf(attempt)) ?? { kind: 'unreadable' };
  }

  /** What the chain says after a settlement; a node may be some blocks behind the facilitator's. */
  private async fateAfter(attempt: Attempt, outcome: SettlementOutcome): Promise<AuthorizationFate> {
    if (outcome.kind !== 'settled' || !this.deps.chain) return this.fateOf(attempt);
    let fate = await this.deps.chain.fateOf(attempt, outcome.transaction);
    for (const pauseMs of NODE_LAG_MS) {
      if (fate.kind === 'settled' || fate.kind === 'void') break;
      await this.deps.pause(pauseMs);
      fate = await this.deps.chain.fateOf(attempt, outcome.transaction);
    }
    return fate;
  }

  /**
   * @param said what the facilitator said, if it was asked. Its reason why nothing was sent counts the first time, and what
   * the chain says goes before it; while a chain that there is cannot be read, it is not the last word.
   */
  private async conclude(
    attempt: Attempt,
    lease: Lease,
    fate: AuthorizationFate,
    said?: { readonly outcome: SettlementOutcome; readonly first: boolean },
  ): Promise<SettlementEnd> {
    if (fate.kind === 'settled') return this.close(attempt, lease, fate.transaction);
    const { ledger, chain } = this.deps;
    const stated = said?.first && said.outcome.kind === 'refused' ? said.outcome.reason : undefined;
    const ended = this.reasonOf(attempt, fate);
    const fault = ended === undefined ? await this.payerFault(attempt, fate, said?.outcome) : undefined;
    const reason = ended ?? (stated && fault) ?? (chain && fate.kind === 'unreadable' ? undefined : stated);
    // What was settled once was released: it is not only given up, it is lost.
    const given = attempt.settlement === null ? 'settle_failed' : 'lost';
    const moved =
      reason === undefined
        ? await ledger.move(attempt, lease, 'settle_unknown', { reason: fault ?? 'settlement_unknown' })
        : await ledger.move(attempt, lease, given, { reason });
    if (!moved) return { kind: 'elsewhere' };
    return reason === undefined ? { kind: 'unknown' } : { kind: 'failed', reason, attempt: moved };
  }

  /** Why the payer is to blame for an authorization that was not used: from then on it pays in turn (solvency.ts). */
  private async payerFault(
    attempt: Attempt,
    fate: AuthorizationFate,
    outcome: SettlementOutcome | undefined,
  ): Promise<string | undefined> {
    const { chain } = this.deps;
    if (!chain || fate.kind !== 'unused') return undefined;
    const balance = await chain.balanceOf(attempt);
    if (balance !== undefined && balance < attempt.amount) return INSUFFICIENT_BALANCE;
    // An account without code cannot refuse what it has signed.
    const failed = outcome !== undefined && outcome.kind !== 'settled' && outcome.reason !== FACILITATOR_SILENT;
    return failed && (await chain.hasCode(attempt)) ? WALLET_REFUSED : undefined;
  }

  private async close(attempt: Attempt, lease: Lease, transaction: string): Promise<SettlementEnd> {
    const settlement = await this.receiptOf(attempt, transaction);
    const settled = await this.deps.ledger.move(attempt, lease, 'settled', { settlement });
    return settled ? { kind: 'settled', attempt: settled } : { kind: 'elsewhere' };
  }

  /** What was paid for is released with or without a signature. */
  private async receiptOf({ sku, resource, network, payer }: Attempt, transaction: string): Promise<Settlement> {
    const { signer, unsigned } = this.deps;
    const bare: Settlement = { transaction, network, payer };
    if (!signer || !this.deps.signed.has(sku)) return bare;
    try {
      return { ...bare, extensions: await signer.receiptFor(resource, bare) };
    } catch (error) {
      unsigned(error);
      return bare;
    }
  }

  private reasonOf(attempt: Attempt, fate: AuthorizationFate): string | undefined {
    if (fate.kind === 'void') return 'authorization_canceled';
    if (fate.kind !== 'unused' || !isOver(attempt, fate.asOf)) return undefined;
    const { reason } = attempt;
    return reason !== null && PAYER_FAULTS.has(reason) ? reason : 'authorization_expired';
  }
}

function isOver({ validBefore }: Attempt, time: Date): boolean {
  return validBefore.getTime() + EXPIRY_GRACE_MS < time.getTime();
}
