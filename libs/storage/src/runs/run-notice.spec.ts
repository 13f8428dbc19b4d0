import { readRunNotice, runNotice } from './run-notice';

const ID = '0b5f6d0e-3a52-4c1e-9d0a-6f1d2b7c8e90';

describe('the notification about an ended run', () => {
  it('contains the outcome', () => {
    const outcome = JSON.stringify({ domain: 'shop.example.com', note: 'two words' });
    expect(readRunNotice(runNotice(ID, outcome))).toEqual({ runId: ID, outcome });
  });

  it('contains only the id if the outcome is too long for Postgres', () => {
    const [fits, tooLong] = [7_999, 8_000].map((bytes) => 'é'.repeat((bytes - ID.length - 1) / 2 - 1));
    expect(readRunNotice(runNotice(ID, JSON.stringify(fits))).outcome).toBe(JSON.stringify(fits));
    expect(readRunNotice(runNotice(ID, JSON.stringify(`${tooLong}xx`)))).toEqual({ runId: ID, outcome: undefined });
  });

  it('contains only the id for a failed run', () => {
    expect(readRunNotice(ID)).toEqual({ runId: ID, outcome: undefined });
  });
});
