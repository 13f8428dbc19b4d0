import type { Fix } from '@app/detectors';

/** Fixes shown in full to people and in Markdown; the JSON has all of them in full. */
const LEADING = 5;

/** The fixes that a form for readers shows in full, and those that it folds to a line each (behaviour 4.6). */
export function leadingFixes(fixes: readonly Fix[]): {
  readonly leading: readonly Fix[];
  readonly folded: readonly Fix[];
} {
  return { leading: fixes.slice(0, LEADING), folded: fixes.slice(LEADING) };
}
