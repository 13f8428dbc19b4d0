import { at, median } from './medians.mjs';

describe('order statistics', () => {
  it('are of the values as numbers, in whatever order they came', () => {
    expect(median([100, 9, 10])).toBe(10);
    expect([at([100, 9, 10], 0), at([100, 9, 10], 1)]).toEqual([9, 100]);
  });

  it('take the upper of two middle values', () => {
    expect(median([4, 1, 3, 2])).toBe(3);
  });

  it('name the value below which the share lies', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([at(hundred, 0.5), at(hundred, 0.975), at(hundred, 0.99)]).toEqual([51, 98, 100]);
  });

  it('leave the values as they are', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('are no number without any value', () => {
    expect(median([])).toBeNaN();
  });
});
