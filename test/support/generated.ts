/**
 * How many of a generated set are tried in a run: a fortieth. `GENERATED=all` tries the whole set.
 * @param whole size of the set
 */
export function partOf(whole: number): number {
  return process.env['GENERATED'] === 'all' ? whole : Math.ceil(whole / 40);
}
