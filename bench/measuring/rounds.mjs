// Subjects measured in turn, round after round, so that what else happens on the machine meets all of them alike.
import { median } from './medians.mjs';

/**
 * Measures each of `subjects` once per round (ABAB...), after one round that is not counted.
 * @param measure of a subject by name; resolves to a record of figures
 * @returns the records by subject, in order of the rounds
 */
export async function inRounds(subjects, rounds, measure) {
  const records = Object.fromEntries(subjects.map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const name of subjects) {
      const figures = await measure(name, round < 0);
      if (round >= 0) records[name].push(figures);
    }
  }
  return records;
}

/** Median over the rounds of `figure` of one subject divided by that of another in the same round. */
export function ratio(records, subject, reference, figure) {
  return median(records[subject].map((record, round) => figure(record) / figure(records[reference][round])));
}

/** Median of a figure of one subject. */
export function middle(records, subject, figure) {
  return median(records[subject].map(figure));
}
