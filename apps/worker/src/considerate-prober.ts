import { header, type Exchange } from '@app/detectors';
import { retryAfterSec, type TargetBudgets } from '@app/limits';
import type { CollectedEvidence, Prober, ProberCollectOptions, TimedExchange } from '@app/probing';
import type { HostName, ProbeUrl } from '@app/reports';

/** Answers with which a host asks to be left alone (RFC 6585, RFC 9110). */
const LEAVE_ME: readonly number[] = [429, 503];

/** A prober that lets a host rest for as long as it asked before anybody looks at it again. */
export class ConsiderateProber implements Prober {
  constructor(
    private readonly inner: Prober,
    private readonly budgets: TargetBudgets,
  ) {}

  async collect(host: HostName, options: ProberCollectOptions): Promise<CollectedEvidence> {
    const collected = await this.inner.collect(host, options);
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

  private async heed(host: HostName, exchanges: readonly Exchange[]): Promise<void> {
    const now = new Date();
    const asked = exchanges.flatMap((exchange) => {
      if (exchange.kind !== 'answer' || !LEAVE_ME.includes(exchange.status)) return [];
      return [retryAfterSec(header(exchange, 'retry-after') ?? '', now)];
    });
    const longest = Math.max(0, ...asked);
    if (longest > 0) await this.budgets.rest(host.ascii, longest);
  }
}
