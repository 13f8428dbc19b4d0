import { without } from './without';

it('a copy without a member has the others, and leaves the original as it is', () => {
  const whole = { a: 1, b: undefined, c: [2] };
  expect(without(whole, 'a')).toStrictEqual({ b: undefined, c: [2] });
  expect(whole).toStrictEqual({ a: 1, b: undefined, c: [2] });
});
