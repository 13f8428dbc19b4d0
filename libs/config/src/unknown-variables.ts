import { closest, distance } from 'fastest-levenshtein';
import { VARIABLES } from './config';
import { given, type Variables } from './variables';

/** Prefixes of our variables that other programs use too. */
const SHARED_WORDS: ReadonlySet<string> = new Set([
  'DATABASE',
  'HOST',
  'LOG',
  'MAX',
  'NODE',
  'OTEL',
  'PORT',
  'PUBLIC',
  'REDIS',
]);

/**
 * Kubernetes sets these in every container, for each service of the namespace. `WORKER_PORT` then contains an address.
 */
const OF_KUBERNETES = /_(?:SERVICE_(?:HOST|PORT)|PORT_\d+)(?:_|$)/;
const ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/** How many letters of a misspelled name may be missing, changed or extra. */
const SLIPS = 2;

/**
 * One sentence for each variable that looks like one of ours but does not exist, because of its prefix or a similar
 * name. It has no effect, so this is a warning and not an error.
 */
export function unknownVariables(env: Variables): readonly string[] {
  const words = new Set(VARIABLES.map(firstWord).filter((word) => !SHARED_WORDS.has(word)));
  return Object.keys(env).flatMap((name) => {
    const value = given(env, name);
    if (VARIABLES.includes(name) || value === undefined) return [];
    if (OF_KUBERNETES.test(name) || ADDRESS.test(value)) return [];
    const nearest = closest(name, VARIABLES);
    const isMisspelled = name.includes('_') && distance(name, nearest) <= SLIPS;
    if (!isMisspelled && !words.has(firstWord(name))) return [];
    return [`${name} is not a hostprobe variable and has no effect. Did you mean ${nearest}?`];
  });
}

function firstWord(name: string): string {
  return name.split('_', 1)[0] ?? name;
}
