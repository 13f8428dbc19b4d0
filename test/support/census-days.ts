import { FIGURES } from '@app/census';
import type { CensusDay, FigureRow } from '@app/persistence';

const NAMES = ['x402', 'mpp', 'llms', 'mcp', 'a2a', 'ucp', 'openapi', 'ap2', 'tap', 'ai-plugin'];
/** Where a figure has no names of its own there are so many at most. */
const MOST_ROWS = 15;

/** Rows as many and as long as there can be: 7 % each. */
function rowsOf(means: Readonly<Record<string, string>>): readonly FigureRow[] {
  const own = Object.keys(means);
  const named = own.length > 0 ? own : [...NAMES, ...NAMES.map((name) => `${name}.something_is_wrong_with_it`)];
  return named.slice(0, MOST_ROWS).map((name, at) => ({ name, hosts: 70_123 + at, total: 1_000_003 }));
}

/** Thirty days that were counted, the newest first. */
export const COUNTED_DAYS: readonly CensusDay[] = Array.from({ length: 30 }, (_, at) => ({
  day: `2026-11-${String(30 - at).padStart(2, '0')}`,
  before: '2026-10-31',
  madeAt: new Date('2026-11-30T23:00:00Z'),
  figures: Object.fromEntries(FIGURES.map(({ id, means = {} }) => [id, rowsOf(means)])),
}));
