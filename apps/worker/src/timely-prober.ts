import type { Exchange } from '@app/detectors';
import type { CollectedEvidence, Prober, ProberCollectOptions, TimedExchange } from '@app/probing';
import type { HostName, ProbeUrl } from '@app/reports';

/** Our time was over before anything came of a look: that says nothing about the host, and nobody pays for it. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
  readonly code = 'budget_spent';

  constructor() {
    super('the time for the look was over before the host could answer');
  }
}

/**
 * A prober that takes no look for one that our own deadline left no time for: a job that waited long in the queue. What a
 * look found until it was cut still counts.
 */
export class TimelyProber implements Prober {
  constructor(private readonly inner: Prober) {}

  /** @throws {OutOfTimeError} | what the inner prober throws */
  async collect(host: HostName, options: ProberCollectOptions): Promise<CollectedEvidence> {
    const collected = await this.inner.collect(host, options);
    if (!collected.unwanted && collected.exchanges.every(cutByUs)) throw new OutOfTimeError();
    return collected;
  }

  /** @throws {OutOfTimeError} | what the inner prober throws */
  async probe(url: ProbeUrl, method: 'GET' | 'POST', signal?: AbortSignal): Promise<TimedExchange> {
    const timed = await this.inner.probe(url, method, signal);
    if (cutByUs(timed.exchange)) throw new OutOfTimeError();
    return timed;
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

function cutByUs(exchange: Exchange): boolean {
  return exchange.kind === 'failure' && exchange.reason === 'budget_spent';
}
