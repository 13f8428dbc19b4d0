import { changesReport, type ChangeRecord, type SubscribeOffer } from './changes';

const SUBSCRIBE: SubscribeOffer = {
  priceUsd: 5,
  days: 30,
  network: 'eip155:8453',
  rest: { method: 'POST', url: 'https://api.example.net/api/v1/hosts/shop.example.com/subscription' },
  docs: 'https://api.example.net/docs',
};
const record = (id: number): ChangeRecord => ({
  id: String(id),
  at: '2026-11-01T12:00:00.000Z',
  protocol: 'ucp',
  kind: 'version_changed',
  summary: 'UCP now has version 2.',
  before: '1',
  after: '2',
});
const records = (count: number) => Array.from({ length: count }, (_, n) => record(count - n));
const report = (count: number, limit: number, full: boolean) =>
  changesReport('shop.example.com', records(count), limit, full, SUBSCRIBE);

describe('changesReport', () => {
  it('shows the public summaries without values and without a cursor', () => {
    const answer = report(9, 5, false);
    expect(answer).toMatchObject({ domain: 'shop.example.com', full: false, subscribe: SUBSCRIBE });
    expect(answer.changes.map(({ id }) => id)).toEqual(['9', '8', '7', '6', '5']);
    expect(Object.keys(answer.changes[0]!)).toEqual(['id', 'at', 'protocol', 'kind', 'summary']);
    expect(answer).not.toHaveProperty('nextCursor');
  });

  it('shows a subscriber the values and the cursor of the next page', () => {
    const answer = report(4, 3, true);
    expect(answer).toMatchObject({ full: true, nextCursor: '2', nextBefore: '2' });
    expect(answer.changes).toEqual([record(4), record(3), record(2)]);
  });

  it('has no cursor on the last page', () => {
    expect(report(3, 3, true)).not.toHaveProperty('nextCursor');
    expect(report(0, 3, true)).toMatchObject({ changes: [] });
  });

  it('does not show database columns that are not part of a change', () => {
    const row = { ...record(1), hostId: 7n };
    expect(changesReport('shop.example.com', [row], 1, true, SUBSCRIBE).changes).toEqual([record(1)]);
  });
});
