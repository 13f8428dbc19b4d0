import { setTimeout as delay } from 'node:timers/promises';
import { callerKey, type LimitStore, type OptOuts } from '@app/limits';
import type { HostName } from '@app/reports';
import { LRUCache } from 'lru-cache';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { ProbeClient } from './probe-client';

const DAY_SEC = 86_400;
const HOUR_SEC = 3_600;

/** Free looks are ours to pay for: this many an hour for all callers together, and for one of them. */
const LOOKS_PER_HOUR = 600;
const LOOKS_PER_CALLER_HOUR = 30;

/** A host that was offered lately is not counted again: a popular stale report must stay a read without a round trip. */
const REMEMBERED_MS = 600_000;
const REMEMBERED_HOSTS = 20_000;

export interface FreePresenceParts {
  /** On the queue for free looks, which never stands in front of a buyer. */
  readonly probes: Pick<ProbeClient, 'run'>;
  readonly limits: LimitStore;
  readonly optOuts: OptOuts;
}

/**
 * Contract 3: a look-up of a host whose presence is missing or stale starts one background look, at most one per host
 * and day, within budgets for all callers and for each. Whoever wants it waits; nobody else notices.
 */
export class FreePresence {
  private readonly perHost: RateLimiterAbstract;
  private readonly perCaller: RateLimiterAbstract;
  private readonly all: RateLimiterAbstract;
  private readonly looks = new LRUCache<string, Promise<void>>({ max: REMEMBERED_HOSTS, ttl: REMEMBERED_MS });

  constructor(private readonly parts: FreePresenceParts) {
    this.perHost = parts.limits.limiter('presence_host', 1, DAY_SEC);
    this.perCaller = parts.limits.limiter('presence_caller', LOOKS_PER_CALLER_HOUR, HOUR_SEC);
    this.all = parts.limits.limiter('presence', LOOKS_PER_HOUR, HOUR_SEC);
  }

  /** Starts the look unless it was lately, for a caller at a network address; resolves when it has ended or `waitMs` have passed. Never rejects. */
  async offer(host: HostName, caller: string, waitMs: number): Promise<void> {
    if (this.parts.optOuts.covers(host.ascii)) return;
    let look = this.looks.get(host.ascii);
    if (!look) {
      look = this.look(host, caller).catch(() => undefined); // no budget, no worker, no queue: then there is no free look
      this.looks.set(host.ascii, look);
    }
    if (waitMs > 0) await Promise.race([look, delay(waitMs, undefined, { ref: false })]);
  }

  /** @throws when a budget is spent or the look could not be made */
  private async look(host: HostName, caller: string): Promise<void> {
    await this.perCaller.consume(callerKey(caller));
    await this.perHost.consume(host.ascii);
    await this.all.consume('everybody').catch(async (spent: unknown) => {
      await this.perHost.delete(host.ascii); // no look was made: the host keeps its own for when there is room again
      throw spent;
    });
    await this.parts.probes.run({ kind: 'presence', domain: host.ascii });
  }
}

/** `wait` of a `Prefer` header (RFC 7240 section 4.3), in milliseconds, at most ten seconds; 0 without one. */
export function preferredWaitMs(prefer: string | undefined): number {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})"?/i.exec(prefer ?? '')?.[1];
  return Math.min(10, Number(seconds ?? 0)) * 1_000;
}
