// Measurements: order statistics of small samples, alternating measurements, and findings with their targets.

/** The value below which the fraction `share` of the values lies. */
export function at(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const median = (values) => at(values, 0.5);

/** The duration of some work in milliseconds. */
export async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/**
 * Measures each of `subjects` once per round (ABAB...), after one round that does not count.
 * @param measure measures a subject by name; resolves to a record of figures
 * @returns the records by subject, in the order of the rounds
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

/** The median over the rounds of the ratio of `figure` between one subject and another in the same round. */
export function ratio(records, subject, reference, figure) {
  return median(records[subject].map((record, round) => figure(record) / figure(records[reference][round])));
}

/** The median of a figure of one subject. */
export function middle(records, subject, figure) {
  return median(records[subject].map(figure));
}

/**
 * One line of the table. `target` is `{ atLeast }` or `{ atMost }` in the unit of `figure`, or undefined without a
 * target.
 */
export function finding(what, figure, unit, { reference = '', target, detail = {} } = {}) {
  if (target === undefined) return { what, figure, unit, reference, detail };
  const { atLeast, atMost } = target;
  const met = atLeast === undefined ? figure <= atMost : figure >= atLeast;
  const missedBy = met ? 0 : Math.abs(figure / (atLeast ?? atMost) - 1);
  return { what, figure, unit, reference, target, met, missedBy, detail };
}

/** How many times as many answers a subject gives as a reference, per second and per processor time. */
export function compared(records, [subject, besides], what, more) {
  const perSecond = (record) => record.perSecond;
  const perProcessor = (record) => 1 / record.processorUs;
  const figuresOf = (name) => ({
    perSecond: middle(records, name, perSecond),
    processorUs: middle(records, name, ({ processorUs }) => processorUs),
    p99Ms: middle(records, name, ({ latencies }) => latencies?.p99),
  });
  const detail = { ...more.detail, [subject]: figuresOf(subject), [besides]: figuresOf(besides) };
  return [
    finding(what, ratio(records, subject, besides, perSecond), 'x', { ...more, detail }),
    finding('  by processor time per answer', ratio(records, subject, besides, perProcessor), 'x', {
      reference: more.reference,
    }),
  ];
}

const UNITS = {
  x: (value) => `${value.toFixed(2)} x`,
  ms: (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`,
  s: (value) => `${value.toFixed(1)} s`,
  MB: (value) => `${value.toFixed(0)} MB`,
  '1/s': (value) => `${value < 100 ? value.toFixed(1) : value.toFixed(0)}/s`,
  KB: (value) => `${value.toFixed(1)} KB`,
  '': (value) => value.toFixed(1),
  us: (value) => `${value.toFixed(1)} us`,
};

const shown = (value, unit) => UNITS[unit](value);

/** Findings as lines for people. */
export function tableOf(findings) {
  return findings.map(lineOf).join('');
}

function lineOf({ what, figure, unit, reference, target, met, missedBy }) {
  const left = `${what.padEnd(58)}${shown(figure, unit).padStart(11)}`;
  if (target === undefined) return `${left}${reference && `   ${reference}`}\n`;
  const sign = target.atLeast === undefined ? '<=' : '>=';
  const outcome = met ? 'met' : `missed by ${(missedBy * 100).toFixed(0)} %`;
  const goal = `${sign} ${shown(target.atLeast ?? target.atMost, unit)}`;
  return `${left}   ${goal.padEnd(12)}${outcome.padEnd(18)}${reference}\n`;
}
