import { header, parseUrl, type Exchange } from '@app/detectors';
import { retryAfterSec, type TargetBudgets } from '@app/limits';
import type { ProberListener } from '@app/probing';
import { countedName, type HostName } from '@app/hosts';
import { OutOfTimeError } from './jobs/host-too-slow';
import type { WorkerMetrics } from './jobs/worker-metrics';

/**
 * What a worker does with what its prober hears: counts it, has a host backed off from for as
 * long as it asked, and takes no probe for one that the deadline of its run left no time for (a job that waited long in the
 * queue; what a probe found until it was cut still counts).
 */
export function probeListener(
  budgets: Pick<TargetBudgets, 'backOff'>,
  metrics: Pick<WorkerMetrics, 'phase' | 'asked'>,
): ProberListener {
  /**
   * Whether a name asked to be left alone. A back-off begins then for the host of the probe, and for the name that gave
   * the answer when that is another one of its site.
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
    // A crawl that is met with a back-off at robots.txt ends there.
    mayProbe: async (host, robots) => !(await heed(host, [robots])),
    onExchanges: async (host, exchanges) => {
      if (exchanges.every(cutByUs)) throw new OutOfTimeError();
      await heed(host, exchanges);
      metrics.asked(exchanges);
    },
  };
}

function cutByUs(exchange: Exchange): boolean {
  return exchange.kind === 'failure' && exchange.reason === 'budget_spent';
}

/** Answers with which a host asks to be left alone (RFC 6585, RFC 9110). */
const BACK_OFF_STATUSES: readonly number[] = [429, 503];

/** Seconds from the host's Retry-After; 0 without one. */
function backOffSec(exchange: Exchange, now: Date): number {
  if (exchange.kind !== 'answer' || !BACK_OFF_STATUSES.includes(exchange.status)) return 0;
  return retryAfterSec(header(exchange, 'retry-after') ?? '', now);
}

/** The host an answer came from, by the name its budgets have. */
function answererOf(exchange: Exchange): string {
  const { hostname = '' } = parseUrl(exchange.kind === 'answer' ? exchange.finalUrl : exchange.url) ?? {};
  return countedName(hostname);
}
