import { throttleRepeatedErrors } from './failures';

describe('throttleRepeatedErrors', () => {
  let clock = 0;
  const told: string[] = [];
  const failed = throttleRepeatedErrors(
    ({ message }, leftOut) => told.push(`${message} ${leftOut}`),
    1_000,
    () => clock,
  );
  beforeEach(() => {
    clock += 1_000_000;
    told.length = 0;
  });

  it('reports an error once per period, with the number of suppressed ones', () => {
    for (const at of [0, 1, 999, 1_000, 1_001]) {
      clock = 2_000_000 + at;
      failed(new Error('away'));
    }
    expect(told).toEqual([expect.stringMatching(/^away \d+$/), 'away 2']);
  });

  it('reports a different error at once', () => {
    failed(new Error('one'));
    failed(new Error('other'));
    expect(told).toEqual(['one 0', 'other 0']);
  });

  it('limits the number of remembered messages', () => {
    for (let i = 0; i < 250; i += 1) failed(new Error(`port ${i}`));
    expect(told).toHaveLength(250);
  });
});
