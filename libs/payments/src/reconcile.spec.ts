import { reconcile, type IncomingTransfer, type LedgerEntry } from './reconcile';

const hash = (n: number): string => `0x${n.toString(16).padStart(64, 'a')}`;
const PAYER = `0x${'1'.repeat(40)}`;

/** Attempt `n`, correctly settled, and its transfer. */
function entry(n: number, change: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id: `attempt-${n}`,
    network: 'eip155:8453',
    asset: `0x${'5'.repeat(40)}`,
    payer: PAYER,
    nonce: hash(n),
    state: 'settled',
    amount: 20_000n,
    transaction: hash(n + 1_000),
    answered: true,
    timesSettled: 1,
    ...change,
  };
}

function transfer(n: number, change: Partial<IncomingTransfer> = {}): IncomingTransfer {
  return { transaction: hash(n + 1_000), block: 7n, payer: PAYER, amount: 20_000n, nonce: hash(n), ...change };
}

const unsettled = { transaction: null, answered: false, timesSettled: 0 } as const;

describe('reconcile', () => {
  it('finds no difference if each settled attempt has its transfer and its answer', () => {
    const entries = [entry(1), entry(2), entry(3, { ...unsettled, state: 'rejected' })];
    expect(reconcile(entries, [transfer(2), transfer(1)])).toEqual({
      chain: { count: 2, atomic: 40_000n },
      ledger: { count: 2, atomic: 40_000n },
      answers: 2,
      open: [],
      differences: [],
    });
  });

  it('compares addresses and hashes case-insensitively', () => {
    const upper = (hex: string): string => `0x${hex.slice(2).toUpperCase()}`;
    const { transaction, nonce, payer, ...rest } = transfer(1);
    const shouted = { ...rest, transaction: upper(transaction), nonce: upper(nonce!), payer: upper(payer) };
    expect(reconcile([entry(1)], [shouted]).differences).toEqual([]);
  });

  it('reports a settled attempt without a transfer', () => {
    expect(reconcile([entry(1)], []).differences).toEqual([{ kind: 'settled_without_transfer', entry: entry(1) }]);
  });

  it('reports a transfer without an attempt, manual or authorized', () => {
    const byHand = transfer(2, { nonce: null });
    expect(reconcile([], [transfer(1), byHand]).differences).toEqual([
      { kind: 'transfer_without_settlement', transfer: transfer(1), entry: null },
      { kind: 'transfer_without_settlement', transfer: byHand, entry: null },
    ]);
  });

  it.each(['settle_failed', 'work_failed', 'rejected'] as const)(
    'reports a transfer for an attempt that ended as %s',
    (state) => {
      const given = entry(1, { ...unsettled, state });
      expect(reconcile([given], [transfer(1)]).differences).toEqual([
        { kind: 'transfer_without_settlement', transfer: transfer(1), entry: given },
      ]);
    },
  );

  it.each(['settling', 'settle_unknown', 'answer_stored', 'working'] as const)(
    'counts a transfer for an attempt in %s as open, not as lost',
    (state) => {
      const open = entry(1, { ...unsettled, answered: true, state });
      const waiting = entry(2, { ...unsettled, state });
      expect(reconcile([open, waiting], [transfer(1)])).toMatchObject({
        open: [
          { entry: open, transfer: transfer(1) },
          { entry: waiting, transfer: null },
        ],
        differences: [],
      });
    },
  );

  it('does not match a transfer of another amount to an open attempt', () => {
    const open = entry(1, { ...unsettled, state: 'settling' });
    const less = transfer(1, { amount: 1n });
    expect(reconcile([open], [less]).differences).toEqual([
      { kind: 'transfer_without_settlement', transfer: less, entry: open },
    ]);
  });

  it('reports a settled attempt without a stored answer', () => {
    const empty = entry(1, { answered: false });
    expect(reconcile([empty], [transfer(1)])).toMatchObject({
      answers: 0,
      differences: [{ kind: 'settled_without_answer', entry: empty }],
    });
  });

  it.each([
    ['amount_mismatch', { amount: 19_999n }],
    ['payer_mismatch', { payer: `0x${'2'.repeat(40)}` }],
    ['transaction_mismatch', { transaction: hash(9) }],
  ] as const)('reports %s once', (kind, change) => {
    expect(reconcile([entry(1)], [transfer(1, change)]).differences).toEqual([
      { kind, entry: entry(1), transfer: transfer(1, change) },
    ]);
  });

  it('reports an authorization that is settled in two rows', () => {
    const again = entry(1, { id: 'other', nonce: hash(1).toUpperCase() });
    expect(reconcile([entry(1), again], [transfer(1)]).differences).toEqual([
      { kind: 'settled_without_transfer', entry: again },
      { kind: 'settled_twice', entry: entry(1), times: 2 },
    ]);
  });

  it('reports an authorization that is settled twice in a history or on the chain', () => {
    const twice = entry(1, { timesSettled: 2 });
    expect(reconcile([twice], [transfer(1)]).differences).toEqual([{ kind: 'settled_twice', entry: twice, times: 2 }]);
    const second = transfer(1, { transaction: hash(8) });
    expect(reconcile([entry(1)], [transfer(1), second]).differences).toEqual([
      { kind: 'transfer_without_settlement', transfer: second, entry: null },
      { kind: 'settled_twice', entry: entry(1), times: 2 },
    ]);
  });

  it('ignores transfers of zero, which any account can make', () => {
    expect(reconcile([], [transfer(1, { amount: 0n, nonce: null })])).toMatchObject({
      chain: { count: 0 },
      differences: [],
    });
  });
});
