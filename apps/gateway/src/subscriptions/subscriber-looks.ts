import type { HostName } from '@app/reports';
import type { HeaderSink, RateLimits } from '../limits/rate-limits';
import type { Job } from '../paywall/paywall.service';
import type { Sale } from '../paywall/release';
import type { Credential } from './credential';
import type { Subscribers } from './subscribers';

/** Live looks of subscribers at their origin: the same work as the paid ones, within fair use instead of for money. */
export class SubscriberLooks {
  constructor(
    private readonly subscribers: Pick<Subscribers, 'active'>,
    private readonly limits: Pick<RateLimits, 'countSubscriberLook'>,
  ) {}

  /**
   * A look that is refused before it begins does not count. A payment that comes along is neither needed nor taken.
   * @throws {RequestError} 401 for a bad credential, 429 `subscription_budget`; and what the job throws
   */
  async take(host: HostName, credential: Credential, headers: HeaderSink, job: Job): Promise<Sale> {
    const { id } = await this.subscribers.active(host, credential);
    await job.admit();
    await this.limits.countSubscriberLook(id, headers);
    const { body } = await job.work();
    return { body, replayed: false, x402Version: 2 };
  }
}
