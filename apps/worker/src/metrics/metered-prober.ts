import type { CollectedEvidence, Prober, ProberCollectOptions, TimedExchange } from '@app/probing';
import type { HostName, ProbeUrl } from '@app/reports';
import type { WorkerMetrics } from './worker-metrics';

/** A prober that counts what came of each request. */
export class MeteredProber implements Prober {
  constructor(
    private readonly inner: Prober,
    private readonly metrics: Pick<WorkerMetrics, 'asked'>,
  ) {}

  async collect(host: HostName, options: ProberCollectOptions): Promise<CollectedEvidence> {
    const collected = await this.inner.collect(host, options);
    this.metrics.asked(collected.exchanges);
    return collected;
  }

  async probe(url: ProbeUrl, method: 'GET' | 'POST', signal?: AbortSignal): Promise<TimedExchange> {
    const timed = await this.inner.probe(url, method, signal);
    this.metrics.asked([timed.exchange]);
    return timed;
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
