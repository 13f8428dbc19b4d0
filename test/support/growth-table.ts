import { readFileSync } from 'node:fs';

/** The data about a database table in docs/threat-model.md. */
export interface TableGrowth {
  readonly table: string;
  readonly by: string;
  readonly worst: string;
  readonly cap: string;
  readonly age: string;
}

export const THREATS = readFileSync('docs/threat-model.md', 'utf8');

/** The rows of its growth table. */
export const GROWTH: readonly TableGrowth[] = [
  ...THREATS.matchAll(/^\| `(\w+)` +\| (anybody|payers|operators) +\|([^|]+)\|([^|]+)\|([^|]+)\|$/gm),
].map(([, table = '', by = '', worst = '', cap = '', age = '']) => ({
  table,
  by,
  worst: worst.trim(),
  cap: cap.trim(),
  age: age.trim(),
}));
