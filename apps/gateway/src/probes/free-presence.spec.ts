import { preferredWaitMs } from './free-presence';

describe('preferredWaitMs', () => {
  it.each([
    [undefined, 0],
    ['respond-async', 0],
    ['wait=3', 3_000],
    ['respond-async, wait=10', 10_000],
    ['wait=9999', 10_000],
    ['await=5', 0],
    ['wait=-1', 0],
  ])('reads %j as %d ms', (prefer, ms) => {
    expect(preferredWaitMs(prefer)).toBe(ms);
  });
});
