import { parseUrl, type Exchange } from '@app/detectors';
import type { TargetBudgets } from '@app/limits';
import type { ProberListener } from '@app/probing';
import { countedName, type HostName } from '@app/hosts';
import { backOffSec } from './jobs/back-off';
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

function cutByUs(exchange: Exchange): boolean {
  return exchange.kind === 'failure' && exchange.reason === 'budget_spent';
}

/** The host that answered, under its name in budgets. */
function answererOf(exchange: Exchange): string {
  const { hostname = '' } = parseUrl(exchange.kind === 'answer' ? exchange.finalUrl : exchange.url) ?? {};
  return countedName(hostname);
}
