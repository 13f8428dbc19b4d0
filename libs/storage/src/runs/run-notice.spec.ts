import { readRunNotice, runNotice } from './run-notice';

const ID = '0b5f6d0e-3a52-4c1e-9d0a-6f1d2b7c8e90';

describe('the notice of a run that ended', () => {
  it('carries what was found', () => {
    const outcome = JSON.stringify({ domain: 'shop.example.com', note: 'two words' });
    expect(readRunNotice(runNotice(ID, outcome))).toEqual({ runId: ID, outcome });
  });

  it('names the run alone when what was found is longer than Postgres carries', () => {
    const [fits, tooLong] = [7_999, 8_000].map((bytes) => 'é'.repeat((bytes - ID.length - 1) / 2 - 1));
    expect(readRunNotice(runNotice(ID, JSON.stringify(fits))).outcome).toBe(JSON.stringify(fits));
    expect(readRunNotice(runNotice(ID, JSON.stringify(`${tooLong}xx`)))).toEqual({ runId: ID, outcome: undefined });
  });

  it('is the id alone for a run that failed', () => {
    expect(readRunNotice(ID)).toEqual({ runId: ID, outcome: undefined });
  });
});
