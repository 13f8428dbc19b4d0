import { authorizedTransfers, type TransferEvent, type UseEvent } from './authorized-transfers';

const moved = (logIndex: number, payer = 'ann', transaction = 'tx'): TransferEvent => ({
  transaction,
  logIndex,
  block: 1n,
  payer,
  amount: 5n,
});
const used = (logIndex: number, nonce: string, authorizer = 'ann', transaction = 'tx'): UseEvent => ({
  transaction,
  logIndex,
  authorizer,
  nonce,
});
const noncesOf = (transfers: readonly TransferEvent[], uses: readonly UseEvent[]): readonly (string | null)[] =>
  authorizedTransfers(transfers, uses).map(({ nonce }) => nonce);

describe('authorizedTransfers', () => {
  it('assigns the use right before a transfer', () => {
    expect(authorizedTransfers([moved(1)], [used(0, 'n')])).toEqual([
      { transaction: 'tx', block: 1n, payer: 'ann', amount: 5n, nonce: 'n' },
    ]);
  });

  it('separates several payments of one transaction, in any reading order', () => {
    expect(noncesOf([moved(3), moved(1)], [used(2, 'b'), used(0, 'a')])).toEqual(['a', 'b']);
    expect(noncesOf([moved(1), moved(3, 'bob')], [used(0, 'a'), used(2, 'b', 'bob')])).toEqual(['a', 'b']);
  });

  it.each([
    ['nothing was authorized', []],
    ['another payer authorized', [used(0, 'n', 'bob')]],
    ['the authorization was used by another transaction', [used(0, 'n', 'ann', 'other')]],
    ['the use comes after', [used(2, 'n')]],
  ])('counts a transfer as manual if %s', (_, uses) => {
    expect(noncesOf([moved(1)], uses)).toEqual([null]);
  });

  it('assigns each use to one transfer only', () => {
    expect(noncesOf([moved(1), moved(2)], [used(0, 'n')])).toEqual(['n', null]);
  });
});
