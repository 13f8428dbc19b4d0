import type { MinedTransaction, ReceiptLog } from './chain-reader';
import { judgeReceipt, MAX_LOGS, type TransferClaim } from './receipt-verdict';

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const PAYEE = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const PAYER = '0x1111111111111111111111111111111111111111';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const claim: TransferClaim = {
  txHash: `0x${'ab'.repeat(32)}`,
  network: 'eip155:8453',
  asset: USDC,
  payTo: PAYEE,
  amount: 20_000n,
};
const word = (hex: string): string => `0x${hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`;

const transfer = (value: bigint, more: Partial<ReceiptLog> = {}): ReceiptLog => ({
  address: USDC.toLowerCase(),
  topics: [TRANSFER, word(PAYER), word(PAYEE)],
  data: word(value.toString(16)),
  logIndex: 7,
  ...more,
});

function judge(logs: readonly ReceiptLog[], more: Partial<MinedTransaction> = {}) {
  const transaction = { status: 'success' as const, blockNumber: 100n, logs, ...more };
  return judgeReceipt({ kind: 'mined', transaction, heads: { latest: 120n, safe: 110n, finalized: 90n } }, claim);
}

describe('judgeReceipt', () => {
  it('reports one transfer of exactly the amount as settled', () => {
    expect(judge([transfer(20_000n)])).toMatchObject({
      verdict: 'settled',
      finality: 'confirmed',
      final: false,
      blockNumber: 100,
      observed: [{ from: PAYER, to: PAYEE.toLowerCase(), value: '20000', logIndex: 7 }],
    });
  });

  it.each([
    ['of another contract', { address: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA' }],
    ['of another event', { topics: [word('1'), word(PAYER), word(PAYEE)] }],
    ['with a topic too few', { topics: [TRANSFER, word(PAYER)] }],
    ['with a topic too many, as of an NFT', { topics: [TRANSFER, word(PAYER), word(PAYEE), word('4e20')] }],
    ['with more data than a number', { data: `${word('4e20')}00` }],
    ['with less data than a number', { data: '0x4e20' }],
    ['that was removed', { removed: true }],
    ['to another account', { topics: [TRANSFER, word(PAYEE), word(PAYER)] }],
  ])('does not count a log %s', (_, more) => {
    expect(judge([transfer(20_000n, more)])).toMatchObject({ verdict: 'mismatch', observed: [] });
  });

  it.each([
    ['more than the price', 20_001n, { overpaid: true, observed: [{ value: '20001' }] }],
    ['less', 19_999n, { observed: [{ value: '19999' }] }],
    ['nothing', 0n, { observed: [{ value: '0' }] }],
  ])('does not report a transfer of %s as settled', (_, value, more) => {
    const check = judge([transfer(value), transfer(20_000n, { address: PAYER })]);
    expect(check).toMatchObject({ verdict: 'mismatch', ...more });
    expect(check.overpaid).toBe('overpaid' in more);
  });

  it('marks mints and self-transfers, and prefers one exact transfer to a sum', () => {
    const minted = [TRANSFER, word('0x0'), word(PAYEE)];
    const round = [TRANSFER, word(PAYEE), word(PAYEE)];
    expect(judge([transfer(20_000n, { topics: minted })])).toMatchObject({ verdict: 'settled', mint: true });
    expect(judge([transfer(20_000n, { topics: round })])).toMatchObject({ verdict: 'settled', selfTransfer: true });
    expect(judge([transfer(5_000n), transfer(20_000n)])).toHaveProperty('aggregate', false);
    const noise = Array.from({ length: MAX_LOGS }, () => transfer(1n, { address: PAYER }));
    expect(judge([transfer(20_000n), ...noise])).toMatchObject({ verdict: 'settled', observed: [{ value: '20000' }] });
  });

  it('is exact for amounts beyond the safe integers', () => {
    const amount = 2n ** 200n + 1n;
    const transaction = { status: 'success' as const, blockNumber: 1n, logs: [transfer(amount)] };
    const read = { kind: 'mined' as const, transaction, heads: { latest: 1n, safe: null, finalized: null } };
    expect(judgeReceipt(read, { ...claim, amount }).verdict).toBe('settled');
    expect(judgeReceipt(read, { ...claim, amount: amount - 1n })).toMatchObject({
      verdict: 'mismatch',
      overpaid: true,
    });
  });

  it('reports a reverted transaction as reverted, whatever its logs contain', () => {
    expect(judge([transfer(20_000n)], { status: 'reverted' })).toMatchObject({ verdict: 'reverted', observed: [] });
  });

  it('does not add up transfers if it has not seen all of them', () => {
    const noise = Array.from({ length: MAX_LOGS - 1 }, () => transfer(1n, { address: PAYER }));
    expect(judge([transfer(10_000n), ...noise, transfer(10_000n)]).verdict).toBe('truncated');
    expect(judge([transfer(10_000n), ...noise.slice(1), transfer(10_000n)])).toMatchObject({ aggregate: true });
  });

  it('shows fifty transfers at most', () => {
    expect(judge(Array.from({ length: 60 }, () => transfer(1n))).observed).toHaveLength(50);
  });

  it.each([
    [90n, 'finalized'],
    [91n, 'confirmed'],
    [110n, 'confirmed'],
    [111n, 'unconfirmed'],
  ])('reports block %s as %s, with safe at 110 and finalized at 90', (blockNumber, finality) => {
    expect(judge([], { blockNumber })).toMatchObject({ finality, final: finality === 'finalized' });
  });

  it.each(['pending', 'not_found', 'unavailable'] as const)('has no finality for %s', (kind) => {
    expect(judgeReceipt({ kind }, claim)).toMatchObject({ verdict: kind, finality: null, final: false, observed: [] });
  });
});
