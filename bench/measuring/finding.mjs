// What a row found, held against its target.

/**
 * One line of the table. `target` is `{ atLeast }` or `{ atMost }` in the unit of `figure`, or undefined for a figure that
 * is only told.
 */
export function finding({ what, figure, unit, reference = '', target, detail = {} }) {
  if (target === undefined) return { what, figure, unit, reference, detail };
  const { atLeast, atMost } = target;
  const met = atLeast === undefined ? figure <= atMost : figure >= atLeast;
  const missedBy = met ? 0 : Math.abs(figure / (atLeast ?? atMost) - 1);
  return { what, figure, unit, reference, target, met, missedBy, detail };
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

export const shown = (value, unit) => UNITS[unit](value);

/** Findings as lines for a person. */
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
