// Names of a simulated internet. Each is a site of its own: the suffixes are public ones, so one certificate covers them all.
export const SUFFIXES = ['co.uk', 'com.au', 'co.jp', 'com.br', 'co.in', 'co.za', 'com.mx', 'co.nz', 'com.tr', 'co.kr'];

/** Of a thousand hosts so many are of a kind: most have nothing, 10 % are slow, 5 % hang. */
const MIX = [
  ['slow', 100],
  ['hangs', 50],
  ['redirects', 120],
  ['walled', 50],
  ['gone', 30],
  ['unwanted', 5],
  ['llms', 15],
  ['mcp', 5],
];

/** The names of a list. @returns an iterator of lines, ranked as Tranco's lists are */
export function* rankedNames(count) {
  for (let number = 0; number < count; number += 1)
    yield `${number + 1},shop${number}.${SUFFIXES[number % SUFFIXES.length]}\n`;
}

/** Hosts in no list, of which refreshes are bought: so many that the budget of none is used up. */
const STORES = 500;
export const storeName = (number) => `store${number % STORES}.${SUFFIXES[0]}`;

/** What a host is like. 7,919 has no divisor in common with 1,000, so kinds are spread over the list. */
export function kindOf(name) {
  if (name.startsWith('store')) return 'store';
  let share = (Number(/^shop(\d+)\./.exec(name)?.[1]) * 7_919) % 1_000;
  for (const [kind, of] of MIX) {
    if (share < of) return kind;
    share -= of;
  }
  return 'nothing';
}
