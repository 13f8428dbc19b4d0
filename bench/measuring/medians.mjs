// Order statistics of small samples.

/** The value below which `share` of the values lie. */
export function at(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const median = (values) => at(values, 0.5);
