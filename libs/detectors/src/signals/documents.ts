import type { HostEvidence } from '../evidence/host-evidence';
import { header, type Answer, type ProbeRequest } from '../evidence/exchange';
import { directives, homeOf, robotsLines } from '../evidence/home-and-robots';
import type { JsonValue } from '../formats/json';
import { ABSENT, type SignalDefinition, type SignalState } from './signal';

/** A signal from a JSON document at a path. @param judged evaluates the parsed document */
export function jsonSignal(
  id: string,
  request: Omit<ProbeRequest, 'method'>,
  judged: (value: JsonValue, seen: HostEvidence) => SignalState,
): SignalDefinition {
  return {
    id,
    requests: [{ method: 'GET', ...request }],
    judge(seen) {
      const reading = seen.read(request.url);
      switch (reading.kind) {
        case 'json':
          return { at: reading.answer.finalUrl, ...judged(reading.value, seen) };
        case 'broken_json':
          return { status: 'faulty', at: reading.answer.finalUrl, note: 'not_json' };
        case 'unasked':
        case 'blocked':
        case 'payment_required':
        case 'redirect':
          return undefined;
        default:
          return ABSENT;
      }
    },
  };
}

/**
 * A preference in robots.txt or in a header of the home page: valid if every statement follows the rule, otherwise
 * faulty.
 */
export function statedPreference(
  seen: HostEvidence,
  name: string,
  keeps: (value: string) => boolean,
): SignalState | undefined {
  const lines = robotsLines(seen);
  const home = homeOf(seen);
  const stated = header(home ?? NO_ANSWER, name.toLowerCase());
  const inRobots = directives(lines ?? [], name);
  const values = [...inRobots, ...(stated === undefined ? [] : [stated])];
  if (values.length === 0) return lines === undefined ? undefined : ABSENT;
  const at = `${seen.origin}${inRobots.length > 0 ? '/robots.txt' : '/'}`;
  return { status: values.every(keeps) ? 'valid' : 'faulty', at };
}

const NO_ANSWER = { headers: [] } as Pick<Answer, 'headers'> as Answer;
