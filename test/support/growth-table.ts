import { readFileSync } from 'node:fs';

/** What docs/threat-model.md says of a table of the database. */
export interface TableGrowth {
  readonly table: string;
  readonly by: string;
  readonly worst: string;
  readonly cap: string;
  readonly age: string;
}

export const THREATS = readFileSync('docs/threat-model.md', 'utf8');

/** Rows of its table of growth. */
export const GROWTH: readonly TableGrowth[] = [
  ...THREATS.matchAll(/^\| `(\w+)` +\| (anybody|payers|operators) +\|([^|]+)\|([^|]+)\|([^|]+)\|$/gm),
].map(([, table = '', by = '', worst = '', cap = '', age = '']) => ({
  table,
  by,
  worst: worst.trim(),
  cap: cap.trim(),
  age: age.trim(),
}));
