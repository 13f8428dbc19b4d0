import { grouped } from '@app/platform';
import { OPEN_STATES, type AttemptState, type AuthorizationKey } from './ledger';

/** The ledger's data about one authorization, for comparison with the chain. */
export interface LedgerEntry extends AuthorizationKey {
  readonly id: string;
  readonly state: AttemptState;
  readonly amount: bigint;
  /** Transaction of the recorded settlement. */
  readonly transaction: string | null;
  /** Whether the paid answer is stored. */
  readonly answered: boolean;
  /** How often its history contains `settled`. */
  readonly timesSettled: number;
}

/** A transfer of the token to the selling account. */
export interface IncomingTransfer {
  readonly transaction: string;
  readonly block: bigint;
  readonly payer: string;
  readonly amount: bigint;
  /** The nonce of its EIP-3009 authorization; null for a manual transfer. */
  readonly nonce: string | null;
}

/** A contradiction between ledger, stored answers and chain about one payment. */
export type Difference =
  /** The ledger has a settlement, but the chain has no transfer. */
  | { readonly kind: 'settled_without_transfer'; readonly entry: LedgerEntry }
  /** A transfer without a settled attempt: unknown to the ledger, or given up there. */
  | {
      readonly kind: 'transfer_without_settlement';
      readonly transfer: IncomingTransfer;
      readonly entry: LedgerEntry | null;
    }
  /** The money arrived, but there is no answer to deliver. */
  | { readonly kind: 'settled_without_answer'; readonly entry: LedgerEntry }
  | {
      readonly kind: 'amount_mismatch' | 'payer_mismatch' | 'transaction_mismatch';
      readonly entry: LedgerEntry;
      readonly transfer: IncomingTransfer;
    }
  /** One authorization counted more than once, in the ledger or on the chain. */
  | { readonly kind: 'settled_twice'; readonly entry: LedgerEntry; readonly times: number };

export interface Sum {
  readonly count: number;
  readonly atomic: bigint;
}

export interface Reconciliation {
  readonly chain: Sum;
  readonly ledger: Sum;
  /** The number of stored answers of settled attempts. */
  readonly answers: number;
  /** Unfinished attempts whose transfer already arrived. They are not lost; they are just not settled here yet. */
  readonly open: readonly { readonly entry: LedgerEntry; readonly transfer: IncomingTransfer | null }[];
  readonly differences: readonly Difference[];
}

/** States in which a transfer on the chain is not yet a difference. */
const OPEN: ReadonlySet<AttemptState> = new Set(OPEN_STATES);

/**
 * Compares ledger, stored answers and chain for the same blocks. Transfers of zero are ignored, because any account can
 * make them.
 * @param entries attempts of one account, token and network, in any state
 * @param transfers the transfers to that account on the chain
 */
export function reconcile(entries: readonly LedgerEntry[], transfers: readonly IncomingTransfer[]): Reconciliation {
  const moved = transfers.filter(({ amount }) => amount > 0n);
  const settled = entries.filter(({ state }) => state === 'settled');
  const book = new TransferBook(moved);
  const differences: Difference[] = [];
  for (const entry of settled) {
    differences.push(...differencesOf(entry, book.take(entry)));
  }
  const others = new Map(entries.filter(({ state }) => state !== 'settled').map((entry) => [keyOf(entry), entry]));
  const landed = new Map<LedgerEntry, IncomingTransfer>();
  for (const transfer of book.rest()) {
    const entry = others.get(keyOf(transfer)) ?? null;
    if (entry && OPEN.has(entry.state) && entry.amount === transfer.amount) landed.set(entry, transfer);
    else differences.push({ kind: 'transfer_without_settlement', transfer, entry });
  }
  differences.push(...repeated(settled, moved));
  return {
    chain: sumOf(moved),
    ledger: sumOf(settled),
    answers: settled.filter(({ answered }) => answered).length,
    open: entries
      .filter(({ state }) => OPEN.has(state))
      .map((entry) => ({ entry, transfer: landed.get(entry) ?? null })),
    differences,
  };
}

function differencesOf(entry: LedgerEntry, transfer: IncomingTransfer | undefined): readonly Difference[] {
  const found: Difference[] = [];
  if (!entry.answered) found.push({ kind: 'settled_without_answer', entry });
  if (!transfer) return [...found, { kind: 'settled_without_transfer', entry }];
  const { payer, amount, transaction } = transfer;
  if (!same(payer, entry.payer)) found.push({ kind: 'payer_mismatch', entry, transfer });
  if (amount !== entry.amount) found.push({ kind: 'amount_mismatch', entry, transfer });
  if (!same(transaction, entry.transaction)) found.push({ kind: 'transaction_mismatch', entry, transfer });
  return found;
}

/** Transfers that are not yet matched to a settled attempt. */
class TransferBook {
  private readonly left: Set<IncomingTransfer>;
  private readonly byKey: ReadonlyMap<string, readonly IncomingTransfer[]>;
  private readonly byNonce: ReadonlyMap<string, readonly IncomingTransfer[]>;

  constructor(transfers: readonly IncomingTransfer[]) {
    this.left = new Set(transfers);
    this.byKey = grouped(transfers, keyOf);
    this.byNonce = grouped(transfers, ({ nonce }) => lower(nonce));
  }

  /**
   * The transfer under the entry's authorization, or else the one in its transaction with its nonce and another payer.
   */
  take(entry: LedgerEntry): IncomingTransfer | undefined {
    const found =
      this.byKey.get(keyOf(entry))?.find((transfer) => this.left.has(transfer)) ??
      this.byNonce
        .get(lower(entry.nonce))
        ?.find((transfer) => this.left.has(transfer) && same(transfer.transaction, entry.transaction));
    if (found) this.left.delete(found);
    return found;
  }

  rest(): Iterable<IncomingTransfer> {
    return this.left;
  }
}

/** The authorizations that occur more than once on the chain, in the ledger's rows or in a row's history. */
function repeated(settled: readonly LedgerEntry[], transfers: readonly IncomingTransfer[]): readonly Difference[] {
  const made = grouped(
    transfers.filter(({ nonce }) => nonce !== null),
    keyOf,
  );
  return [...grouped(settled, keyOf)].flatMap(([key, rows]) => {
    const told = rows.reduce((sum, { timesSettled }) => sum + Math.max(1, timesSettled), 0);
    const times = Math.max(told, made.get(key)?.length ?? 0);
    return times > 1 ? [{ kind: 'settled_twice' as const, entry: rows[0], times }] : [];
  });
}

function keyOf({ payer, nonce }: { readonly payer: string; readonly nonce: string | null }): string {
  return `${lower(payer)} ${lower(nonce)}`;
}

function lower(text: string | null): string {
  return text?.toLowerCase() ?? '';
}

function same(a: string | null, b: string | null): boolean {
  return lower(a) === lower(b);
}

function sumOf(items: readonly { readonly amount: bigint }[]): Sum {
  return { count: items.length, atomic: items.reduce((sum, { amount }) => sum + amount, 0n) };
}
