import { header, parseUrl, type Exchange } from '@app/detectors';
import { retryAfterSec, type TargetBudgets } from '@app/limits';
import type { CollectedEvidence, Prober, ProberCollectOptions, TimedExchange } from '@app/probing';
import { countedName, type HostName, type ProbeUrl } from '@app/reports';

/** Answers with which a host asks to be left alone (RFC 6585, RFC 9110). */
const LEAVE_ME: readonly number[] = [429, 503];

/**
 * A prober that lets a host rest for as long as it asked before anybody looks at it again: the host of the look, and the
 * name that gave the answer when that is another one of its site. A crawl that is met with this at robots.txt ends there.
 */
export class ConsiderateProber implements Prober {
  constructor(
    private readonly inner: Prober,
    private readonly budgets: Pick<TargetBudgets, 'rest'>,
  ) {}

  async collect(host: HostName, options: ProberCollectOptions): Promise<CollectedEvidence> {
    const { mayLook } = options;
    const collected = await this.inner.collect(host, {
      ...options,
      ...(mayLook && { mayLook: async (robots: Exchange) => !(await this.heed(host, [robots])) && mayLook(robots) }),
    });
    await this.heed(host, collected.exchanges);
    return collected;
  }

  async probe(url: ProbeUrl, method: 'GET' | 'POST', signal?: AbortSignal): Promise<TimedExchange> {
    const timed = await this.inner.probe(url, method, signal);
    await this.heed(url.host, [timed.exchange]);
    return timed;
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /** Whether anybody asked to be left alone. */
  private async heed(host: HostName, exchanges: readonly Exchange[]): Promise<boolean> {
    const now = new Date();
    const rests = new Map<string, number>();
    for (const exchange of exchanges) {
      const seconds = restOf(exchange, now);
      if (seconds === 0) continue;
      for (const name of [host.ascii, answererOf(exchange)]) rests.set(name, Math.max(rests.get(name) ?? 0, seconds));
    }
    await Promise.all([...rests].map(([name, seconds]) => this.budgets.rest(name, seconds)));
    return rests.size > 0;
  }
}

/** Seconds the host asked for; 0 when it did not. */
function restOf(exchange: Exchange, now: Date): number {
  if (exchange.kind !== 'answer' || !LEAVE_ME.includes(exchange.status)) return 0;
  return retryAfterSec(header(exchange, 'retry-after') ?? '', now);
}

/** The host an answer came from, by the name its budgets have. */
function answererOf(exchange: Exchange): string {
  const { hostname = '' } = parseUrl(exchange.kind === 'answer' ? exchange.finalUrl : exchange.url) ?? {};
  return countedName(hostname);
}
