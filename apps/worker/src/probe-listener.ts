import { header, parseUrl, type Exchange } from '@app/detectors';
import { LONGEST_WAIT_SEC, retryAfterSec, type TargetBudgets } from '@app/limits';
import type { ProberListener } from '@app/probing';
import { countedName, type HostName } from '@app/hosts';
import type { Skipped } from '@app/reports';
import { OutOfTimeError } from './jobs/host-too-slow';
import type { WorkerMetrics } from './jobs/worker-metrics';

/**
 * Handles the events of the prober: it counts requests, and backs off from a host for the time of its Retry-After. It
 * rejects a probe whose run had no time left for it (its job waited long in the queue), but keeps partial results.
 */
export function probeListener(
  budgets: Pick<TargetBudgets, 'backOff'>,
  metrics: Pick<WorkerMetrics, 'phase' | 'asked'>,
): ProberListener {
  /**
   * Whether a host asked us to back off. The back-off applies to the probed host, and to the name that answered if that
   * is another one of the site.
   */
  const heed = async (host: HostName, exchanges: readonly Exchange[]): Promise<boolean> => {
    const now = new Date();
    const backOffs = new Map<string, number>();
    for (const exchange of exchanges) {
      const seconds = backOffSec(exchange, now);
      if (seconds === 0) continue;
      for (const name of [host.ascii, answererOf(exchange)])
        backOffs.set(name, Math.max(backOffs.get(name) ?? 0, seconds));
    }
    await Promise.all([...backOffs].map(([name, seconds]) => budgets.backOff(name, seconds)));
    return backOffs.size > 0;
  };
  return {
    onPhase: (phase, ms) => {
      metrics.phase(phase, ms);
    },
    // Crawling ends if robots.txt is answered with a back-off.
    mayProbe: async (host, robots) => !(await heed(host, [robots])),
    onExchanges: async (host, exchanges) => {
      if (exchanges.every(cutByUs)) throw new OutOfTimeError();
      await heed(host, exchanges);
      metrics.asked(exchanges);
    },
  };
}

/** Why a free probe ended at the first answer of a host, the one to `/robots.txt`. */
export function skippedAt(robots: Exchange): Skipped {
  const at = new Date(robots.observedAt);
  const seconds = backOffSec(robots, at);
  if (robots.kind !== 'answer' || seconds === 0) return { reason: 'robots_txt', at: at.toISOString() };
  return {
    reason: robots.status === 429 ? 'rate_limited' : 'unavailable',
    at: at.toISOString(),
    until: new Date(at.getTime() + seconds * 1_000).toISOString(),
  };
}

function cutByUs(exchange: Exchange): boolean {
  return exchange.kind === 'failure' && exchange.reason === 'budget_spent';
}

/** Statuses with which a host asks us to back off (RFC 6585, RFC 9110). */
const BACK_OFF_STATUSES: readonly number[] = [429, 503];

/** The seconds in the host's Retry-After, at most 15 minutes; 0 if missing. */
function backOffSec(exchange: Exchange, now: Date): number {
  if (exchange.kind !== 'answer' || !BACK_OFF_STATUSES.includes(exchange.status)) return 0;
  return Math.min(LONGEST_WAIT_SEC, retryAfterSec(header(exchange, 'retry-after') ?? '', now));
}

/** The host that answered, under its name in budgets. */
function answererOf(exchange: Exchange): string {
  const { hostname = '' } = parseUrl(exchange.kind === 'answer' ? exchange.finalUrl : exchange.url) ?? {};
  return countedName(hostname);
}
