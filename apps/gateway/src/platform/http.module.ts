import { Module } from '@nestjs/common';
import type { Config } from '@app/config';
import { CallerLimit, FailureLimit, FloodGuard, type LimitStore } from '@app/limits';
import { CONFIG, LIMITS } from './tokens';
import { RateLimits } from '../http/rate-limits';

/** What every route shares: how much callers may ask for. */
@Module({
  providers: [{ provide: RateLimits, useFactory: rateLimits, inject: [CONFIG, LIMITS] }],
  exports: [RateLimits],
})
export class HttpModule {}

/** Watches that one caller may begin in an hour, and alerts that are sent again for it. */
const WATCHES_PER_HOUR = 60;

/** All callers together may have so many times the refused payments of one. */
export const CALLERS = 10;

/** Checks of claims in an hour for each claim that a caller may begin; a network (/24, /48) has those of two callers. */
const CHECKS_PER_CLAIM = 4;
/** Checks of claims that all callers together have in an hour. */
const CHECKS_PER_HOUR = 600;

function rateLimits({ callers, subscriptions }: Config, store: LimitStore): RateLimits {
  const hourly = (name: string, points: number) => new CallerLimit(store, { name, points, windowSec: 3_600 });
  return new RateLimits(
    new CallerLimit(store, { name: 'checks', points: callers.checksPerMin, windowSec: 60 }),
    new FloodGuard({ name: 'requests', points: callers.requestsPerMin, windowSec: 60 }),
    new CallerLimit(store, { name: 'subscription', points: subscriptions.refreshesPerDay, windowSec: 86_400 }),
    new FailureLimit(
      new CallerLimit(store, { name: 'refused', points: callers.refusedPaymentsPerMin, windowSec: 60 }),
      new CallerLimit(store, { name: 'all_refused', points: callers.refusedPaymentsPerMin * CALLERS, windowSec: 60 }),
    ),
    new CallerLimit(store, { name: 'evidence', points: callers.evidencePerMin, windowSec: 60 }),
    hourly('claims', callers.claimsPerHour),
    hourly('watches', WATCHES_PER_HOUR),
    new CallerLimit(store, { name: 'owner_probes', points: callers.ownerProbesPerDay, windowSec: 86_400 }),
    {
      caller: hourly('claim_checks', callers.claimsPerHour * CHECKS_PER_CLAIM),
      network: hourly('network_claim_checks', callers.claimsPerHour * CHECKS_PER_CLAIM * 2),
      all: hourly('all_claim_checks', CHECKS_PER_HOUR),
    },
  );
}
