import { grouped } from '@app/platform';
import { OPEN_STATES, type AttemptState, type AuthorizationKey } from './ledger';

/** What the ledger says of one authorization, for comparison with the chain. */
export interface LedgerEntry extends AuthorizationKey {
  readonly id: string;
  readonly state: AttemptState;
  readonly amount: bigint;
  /** Transaction of the recorded settlement. */
  readonly transaction: string | null;
  /** Whether the answer that was paid for is stored. */
  readonly answered: boolean;
  /** How often its history says `settled`. */
  readonly timesSettled: number;
}

/** A transfer of the token to the account that sells. */
export interface IncomingTransfer {
  readonly transaction: string;
  readonly block: bigint;
  readonly payer: string;
  readonly amount: bigint;
  /** Of the authorization it was made under (EIP-3009); null for a transfer made by hand. */
  readonly nonce: string | null;
}

/** Ledger, stored answers and chain say different things about one payment. */
export type Difference =
  /** The ledger says the money came; the chain does not. */
  | { readonly kind: 'settled_without_transfer'; readonly entry: LedgerEntry }
  /** Money came for which no settled attempt accounts: unknown to the ledger, or given up by it. */
  | {
      readonly kind: 'transfer_without_settlement';
      readonly transfer: IncomingTransfer;
      readonly entry: LedgerEntry | null;
    }
  /** The money came, and there is nothing to give for it. */
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
  /** Stored answers of settled attempts. */
  readonly answers: number;
  /** Attempts that have not ended yet, with the transfer that already came for them: not lost, not yet settled here. */
  readonly open: readonly { readonly entry: LedgerEntry; readonly transfer: IncomingTransfer | null }[];
  readonly differences: readonly Difference[];
}

/** States in which a transfer on the chain is not a difference yet. */
const OPEN: ReadonlySet<AttemptState> = new Set(OPEN_STATES);

/**
 * Compares ledger, stored answers and chain over the same blocks. Transfers of nothing are left out: any account can
 * make them.
 *
 * @param entries attempts of one account, token and network, of any state.
 * @param transfers what the chain moved to that account.
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

/** Transfers that no settled attempt accounts for yet. */
class TransferBook {
  private readonly left: Set<IncomingTransfer>;
  private readonly byKey: ReadonlyMap<string, readonly IncomingTransfer[]>;
  private readonly byNonce: ReadonlyMap<string, readonly IncomingTransfer[]>;

  constructor(transfers: readonly IncomingTransfer[]) {
    this.left = new Set(transfers);
    this.byKey = grouped(transfers, keyOf);
    this.byNonce = grouped(transfers, ({ nonce }) => lower(nonce));
  }

  /** The transfer under the entry's authorization, else the one its transaction made under its nonce for another payer. */
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

/** Each authorization that the chain, the ledger's rows or a row's history has more than once. */
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
