/** What a guard must do with one input: refuse it, or let it pass. Each table says how many it holds of either. */
export interface GuardCase {
  readonly expected: 'block' | 'allow';
  readonly input: string;
  readonly why: string;
}

type Row = readonly [input: string, why: string];

export const blocked = (...rows: readonly Row[]): readonly GuardCase[] =>
  rows.map(([input, why]) => ({ expected: 'block', input, why }));

export const allowed = (...rows: readonly Row[]): readonly GuardCase[] =>
  rows.map(([input, why]) => ({ expected: 'allow', input, why }));

/** `blocked/allowed` of a table, to be compared with the numbers the table promises. */
export function countOf(cases: readonly Pick<GuardCase, 'expected'>[]): string {
  const blocks = cases.filter(({ expected }) => expected === 'block').length;
  return `${blocks}/${cases.length - blocks}`;
}
