import { FIGURES } from '../figures/figures';

/** What was counted of a day: the day that changes are counted from, and the rows of each figure by its id. */
export interface CountedFigures {
  readonly before: string | null;
  readonly rows: Readonly<
    Record<string, readonly { readonly name: string; readonly hosts: number; readonly total: number }[]>
  >;
}

/** `figures.json` of a release: each figure with what it counts over what, its query over the tables, and its rows. */
export function figuresFile(day: string, { before, rows }: CountedFigures): string {
  const figures = FIGURES.map(({ id, title, definition, denominator, means, sql }) => ({
    ...{ id, title, definition, denominator, means, query: sql },
    rows: rows[id] ?? [],
  }));
  return `${JSON.stringify({ day, before, figures }, null, 2)}\n`;
}
