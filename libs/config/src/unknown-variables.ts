import { closest, distance } from 'fastest-levenshtein';
import { VARIABLES } from './config';
import { given, type Variables } from './variables';

/** First words of our variables that other programs use for theirs. */
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

/** Kubernetes sets these in every container, for each service of the namespace; `WORKER_PORT` has an address there. */
const OF_KUBERNETES = /_(?:SERVICE_(?:HOST|PORT)|PORT_\d+)(?:_|$)/;
const ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/** Letters that may be missing, changed or too many in a misspelled name. */
const SLIPS = 2;

/**
 * One sentence for each variable that is set, looks like one of ours and is none: it begins as ours do, or is nearly the
 * name of one. It changes nothing, so this is a warning and never an error.
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
    return [`${name} is not a variable of hostprobe and has no effect; the nearest one is ${nearest}`];
  });
}

function firstWord(name: string): string {
  return name.split('_', 1)[0] ?? name;
}
