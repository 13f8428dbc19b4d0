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

/** The outcome of a settlement, as far as it is known. */
export type SettlementEnd =
  /** The money moved. The attempt is `settled` and its answer may be released. */
  | { readonly kind: 'settled'; readonly attempt: Attempt }
  /** The money will never move. The attempt is `settle_failed`. */
  | { readonly kind: 'failed'; readonly reason: string; readonly attempt: Attempt }
  /** The money may have moved, or may still move. The attempt is `settle_unknown` until that is clear. */
  | { readonly kind: 'unknown' }
  /** Another gateway drives the attempt now and will record the outcome. */
  | { readonly kind: 'elsewhere' };

export interface SettlerDeps {
  readonly ledger: Pick<PaymentLedger, 'move' | 'revise' | 'watch'>;
  readonly facilitator: Pick<Facilitator, 'settle'>;
  /** Null without a configured node. Then only the facilitator can tell the outcome. */
  readonly chain: AuthorizationReader | null;
  /** Whether an answer is released when the facilitator reports a settlement; the chain is checked afterwards. */
  readonly trust: boolean;
  /** Resolves after the given number of milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Signs receipts; if null, the extension is left out. */
  readonly signer: Pick<OfferSigner, 'receiptFor'> | null;
  /** The products whose receipts are signed. */
  readonly signed: ReadonlySet<string>;
  /** Called when a receipt could not be signed. */
  readonly unsigned: (error: unknown) => void;
  readonly now: () => Date;
}

/** Block time and our clock differ, so an authorization counts as expired this long after its end. */
export const EXPIRY_GRACE_MS = 60_000;

/** States of an attempt whose answer is stored and whose money may be on its way. */
export const SETTLEABLE: readonly AttemptState[] = ['answer_stored', 'settling', 'settle_unknown'];

/** The payer lacked the money at settlement. This is read from the chain, not reported by a facilitator. */
const INSUFFICIENT_BALANCE = 'insufficient_balance';
/** The payer's contract accepted the authorization at verification and refused the transfer later. */
const WALLET_REFUSED = 'wallet_refused';
const PAYER_FAULTS: ReadonlySet<string> = new Set([INSUFFICIENT_BALANCE, WALLET_REFUSED]);

/** Pauses between reads of a node that does not yet have the block of the facilitator's transaction. */
const NODE_LAG_MS: readonly number[] = [250, 500, 1_000, 2_000];

/**
 * Settles stored answers, for waiting buyers and for the reconciler. `settle` and `settleAgain` require the attempt's
 * lease. An attempt is `settled` once the transfer was read on the chain, or when the facilitator reports it if there
 * is no node or the facilitator is trusted. Each outcome is compared with the chain again until it is final
 * (`recheck`).
 */
export class Settler {
  constructor(private readonly deps: SettlerDeps) {}

  /** Settles an attempt in `settling` whose answer was just stored and for which nothing was sent yet. */
  async settle(attempt: Attempt, lease: Lease): Promise<SettlementEnd> {
    const { payment, requirement } = attempt;
    const outcome = await traced('settle payment', {}, () => this.deps.facilitator.settle(payment, requirement));
    const trusted = this.deps.trust || !this.deps.chain;
    if (trusted && outcome.kind === 'settled') return this.close(attempt, lease, outcome.transaction);
    return this.conclude(attempt, lease, await this.fateAfter(attempt, outcome), { outcome, first: true });
  }

  /**
   * Continues with an attempt in `settling` whose earlier outcome was lost. It reads the chain first and sends only an
   * unused authorization again. If the facilitator then refuses it, the first transaction may still be on its way, so
   * the attempt is given up only when its authorization has expired unused.
   */
  async settleAgain(attempt: Attempt, lease: Lease): Promise<SettlementEnd> {
    const fate = await this.fateOf(attempt);
    if (fate.kind !== 'unused' || isOver(attempt, this.deps.now())) return this.conclude(attempt, lease, fate);
    const outcome = await this.deps.facilitator.settle(attempt.payment, attempt.requirement);
    return this.conclude(attempt, lease, await this.fateAfter(attempt, outcome), { outcome, first: false });
  }

  /**
   * Compares a watched attempt with the chain. It corrects a wrong transaction, settles a vanished transfer again or
   * records it as `lost`, and marks an attempt as `settled` if its transfer arrived late. It needs no lease.
   * @returns the attempt as it is now; undefined if the chain cannot be read or another gateway was faster
   */
  async recheck(attempt: Attempt): Promise<Attempt | undefined> {
    const { chain, ledger } = this.deps;
    if (!chain) {
      await ledger.watch(attempt, true); // no node can tell more
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

  /** Reads the chain after a settlement. Our node may be some blocks behind the facilitator's. */
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
   * @param said the facilitator's answer, if it was asked. Its reason for not sending counts only the first time, and
   * the chain takes precedence. While a configured chain cannot be read, the facilitator's answer is not final.
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
    // A settled attempt was already released, so it is not merely given up: its money is lost.
    const given = attempt.settlement === null ? 'settle_failed' : 'lost';
    const moved =
      reason === undefined
        ? await ledger.move(attempt, lease, 'settle_unknown', { reason: fault ?? 'settlement_unknown' })
        : await ledger.move(attempt, lease, given, { reason });
    if (!moved) return { kind: 'elsewhere' };
    return reason === undefined ? { kind: 'unknown' } : { kind: 'failed', reason, attempt: moved };
  }

  /**
   * Why the payer is responsible for an unused authorization. From then on, its payments are taken one at a time
   * (solvency.ts).
   */
  private async payerFault(
    attempt: Attempt,
    fate: AuthorizationFate,
    outcome: SettlementOutcome | undefined,
  ): Promise<string | undefined> {
    const { chain } = this.deps;
    if (!chain || fate.kind !== 'unused') return undefined;
    const balance = await chain.balanceOf(attempt);
    if (balance !== undefined && balance < attempt.amount) return INSUFFICIENT_BALANCE;
    // An account without code cannot refuse a transfer that it signed.
    const failed = outcome !== undefined && outcome.kind !== 'settled' && outcome.reason !== FACILITATOR_SILENT;
    return failed && (await chain.hasCode(attempt)) ? WALLET_REFUSED : undefined;
  }

  private async close(attempt: Attempt, lease: Lease, transaction: string): Promise<SettlementEnd> {
    const settlement = await this.receiptOf(attempt, transaction);
    const settled = await this.deps.ledger.move(attempt, lease, 'settled', { settlement });
    return settled ? { kind: 'settled', attempt: settled } : { kind: 'elsewhere' };
  }

  /** A paid answer is released even if its receipt cannot be signed. */
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
