import type { Inquiry } from './detector';
import type { ProbePhase, ProbeRequest } from './exchange';
import { requestKey, type HostEvidence } from './host-evidence';

/** Most requests of a presence run and of the callability run that follows it; redirect hops come on top. */
export const REQUEST_BUDGET = { presence: 20, callability: 12 } as const satisfies Record<ProbePhase, number>;

/**
 * The next wave of requests, given what is known: each request once, none that was already made, fairly dealt out
 * (every detector's first wish before anybody's second) and cut to what the budget leaves.
 */
export function nextWave(
  detectors: readonly Inquiry[],
  phase: ProbePhase,
  seen: HostEvidence,
): readonly ProbeRequest[] {
  const left = REQUEST_BUDGET[phase] - seen.exchanges.filter((exchange) => exchange.phase === phase).length;
  const wishes = detectors.map((detector) => wishesOf(detector, phase, seen));
  const wave = new Map<string, ProbeRequest>();
  for (let turn = 0; wishes.some((list) => turn < list.length); turn += 1) {
    for (const list of wishes) {
      const wish = list[turn];
      const url = wish && seen.resolve(wish.url);
      if (!wish || url === undefined || !seen.sameSite(url) || seen.at(url, wish.method, wish.body)) continue;
      const key = requestKey(wish.method, url, wish.body);
      wave.set(key, combined(wave.get(key), { ...wish, url }));
    }
  }
  return [...wave.values()].slice(0, Math.max(0, left));
}

/** Two detectors want the same request: it is sent as the first asked, and read as far as either wants. */
function combined(first: ProbeRequest | undefined, second: ProbeRequest): ProbeRequest {
  if (!first) return second;
  const caps = [first.maxBytes, second.maxBytes].filter((cap) => cap !== undefined);
  return caps.length === 0 ? first : { ...first, maxBytes: Math.max(...caps) };
}

function wishesOf(detector: Inquiry, phase: ProbePhase, seen: HostEvidence): readonly ProbeRequest[] {
  try {
    if (phase === 'callability') return detector.exercises?.(seen) ?? [];
    return [...detector.probes, ...(seen.asked('presence') ? (detector.followUps?.(seen) ?? []) : [])];
  } catch {
    return []; // the same bug makes the cell an `error` when it is judged
  }
}
