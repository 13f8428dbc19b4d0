import { defined } from '@app/platform';
import type { Inquiry } from './judgement/detector';
import type { RequestPhase, ProbeRequest } from './evidence/exchange';
import { requestKey, type HostEvidence } from './evidence/host-evidence';

/** The maximum number of exchanges in each phase of a probe (behaviour 12.2). */
export const REQUEST_BUDGET = { presence: 20, callability: 12, signals: 4 } as const satisfies Record<
  RequestPhase,
  number
>;

/**
 * The next wave of requests: each request once and only if it was not made yet, distributed fairly (the first request
 * of every detector before the second of any), and limited to the remaining budget. Requests that can prove absence
 * come first; optional ones wait for the second wave and the last ones for the third, so that a slow host gets the most
 * informative requests first.
 */
export function nextWave(
  detectors: readonly Inquiry[],
  phase: RequestPhase,
  seen: HostEvidence,
): readonly ProbeRequest[] {
  const left = REQUEST_BUDGET[phase] - seen.exchanges.filter((exchange) => exchange.phase === phase).length;
  const wishes = detectors.map((detector) => requestsOf(detector, phase, seen));
  const wave = new Map<string, ProbeRequest>();
  for (let turn = 0; wishes.some((list) => turn < list.length); turn += 1) {
    for (const list of wishes) {
      const wish = list[turn];
      const resolved = wish && seen.resolve(wish.url);
      const url = resolved && seen.addressOf(resolved);
      if (!wish || url === undefined || !seen.sameSite(url) || seen.at(url, wish.method, wish.body)) continue;
      const key = requestKey(wish.method, url, wish.body);
      wave.set(key, combined(wave.get(key), { ...wish, url }));
    }
  }
  const of = (rank: ProbeRequest['optional']) => [...wave.values()].filter(({ optional }) => optional === rank);
  const required = of(undefined);
  if (required.length > 0 && !seen.asked(phase)) return required.slice(0, Math.max(0, left));
  const begun = !detectors.some(({ probes }) => probes.some(({ url, optional }) => optional === true && !seen.at(url)));
  return [...required, ...of(true), ...(begun || phase !== 'presence' ? of('last') : [])].slice(0, Math.max(0, left));
}

/** If two detectors declare the same request, it is sent as in the first declaration, with the larger size limit. */
function combined(first: ProbeRequest | undefined, second: ProbeRequest): ProbeRequest {
  if (!first) return second;
  const caps = [first.maxBytes, second.maxBytes].filter((cap) => cap !== undefined);
  const { optional, ...request } = first;
  return {
    ...request,
    ...defined({
      maxBytes: caps.length === 0 ? undefined : Math.max(...caps),
      optional: sooner(optional, second.optional),
    }),
  };
}

function sooner(one: ProbeRequest['optional'], other: ProbeRequest['optional']): ProbeRequest['optional'] {
  return one && other && (one === true ? one : other);
}

function requestsOf(detector: Inquiry, phase: RequestPhase, seen: HostEvidence): readonly ProbeRequest[] {
  try {
    if (phase === 'signals') return detector.asksForSignals ?? [];
    const next = seen.asked('presence') ? (detector.followUps?.(seen) ?? []) : [];
    if (phase === 'presence') return [...detector.probes, ...next];
    return [...(detector.exercises?.(seen) ?? []), ...next.filter(({ declared }) => declared)];
  } catch {
    return []; // the same bug makes the cell an `error` when it is evaluated
  }
}
