import type { LimitStore } from '@app/limits';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { HeaderSink, RateLimits } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import { HOUR_SEC, PROBES_PER_HOUR } from '../probing-client/free-presence';
import type { ProbeClient } from '../probing-client/probe-client';
import type { Claims } from './claims';

/** A probe that an owner started, in the same form as `GET /api/v1/hosts/{domain}/run`. */
export interface OwnerProbe {
  readonly run: { readonly id: string; readonly status: string; readonly events: string };
}

/**
 * Free full probes of a host for its owners (behaviour 17.5). They use the queue of free probes, so that buyers never
 * wait for them, and count toward the hourly limit of all free probes.
 */
export class OwnerProbes {
  constructor(
    private readonly claims: Claims,
    private readonly limits: RateLimits,
    private readonly free: { readonly probes: Pick<ProbeClient, 'begin'>; readonly spent: () => void },
    private readonly store: LimitStore,
  ) {}

  /**
   * Starts a probe of the claimed host, or joins the running one, which then counts only once.
   * @throws {RequestError} 401 and 403 of the claim, 403 `opted_out`, 429 `free_probes_used`, 503 `host_too_slow` or
   * `queue_unavailable`; {TargetBusyError}
   */
  async begin(id: string, key: string, headers: HeaderSink): Promise<OwnerProbe> {
    const host = await this.claims.hostOf(id, key);
    const run = await this.free.probes.begin({ kind: 'watch', host, pot: 'owner' }, async () => {
      await this.limits.countOwnerProbe(host.ascii, headers);
      await this.countForAll();
    });
    return { run: { id: run.id, status: run.status, events: `/api/v1/runs/${run.id}/events` } };
  }

  private async countForAll(): Promise<void> {
    const all = this.store.limiter('presence', PROBES_PER_HOUR, HOUR_SEC);
    await all.consume('everybody').catch((error: unknown) => {
      if (!(error instanceof RateLimiterRes)) throw new RequestError('queue_unavailable');
      this.free.spent();
      throw new RequestError('free_probes_used', undefined, { retryAfterSec: Math.ceil(error.msBeforeNext / 1_000) });
    });
  }
}
