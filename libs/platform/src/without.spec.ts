import { without } from './without';

it('without copies all other properties and does not change the original', () => {
  const whole = { a: 1, b: undefined, c: [2] };
  expect(without(whole, 'a')).toStrictEqual({ b: undefined, c: [2] });
  expect(whole).toStrictEqual({ a: 1, b: undefined, c: [2] });
});
