import { ALERT_TYPES, WATCH_STATUSES, type WatchSecrets } from '@app/owners';
import type { DeepReadonly } from '@app/platform';
import type { Delivery, Watch } from '@app/storage';
import { time, url } from '@app/reports';
import { z } from 'zod';
import { watchPath } from '../http/paths';

/** A watch as its owner sees it. */
export const WatchState = z.object({
  id: z.string(),
  domain: z.string(),
  url: url.describe('The webhook URL.'),
  types: z.array(z.enum(ALERT_TYPES)),
  status: z.enum(WATCH_STATUSES).describe('`pending` until the receiver answered the challenge.'),
  reason: z.string().nullable().describe('Why the watch ended early: `gone` (410) or `failing`.'),
  createdAt: time,
  endsAt: time.describe('Extended automatically while the claim is verified.'),
  alertsLeft: z.int().nullable().describe('The remaining alerts of a paid watch; null if alerts are unlimited.'),
  failingSince: time.nullable(),
  deliveries: z
    .array(
      z.object({
        id: z.string().describe('The `webhook-id`.'),
        type: z.string(),
        createdAt: time,
        status: z.enum(['due', 'delivered', 'exhausted']),
        failures: z.int(),
        triedAt: time.nullable(),
        outcome: z.string().nullable().describe('The status of the last response, or why there was none.'),
        excerpt: z.string().nullable().describe('The start of the last response.'),
      }),
    )
    .describe('Newest first.'),
  manage: url.describe('With the key, `GET` shows the watch, `PATCH` changes it, and `DELETE` ends it.'),
});
export type WatchState = DeepReadonly<z.infer<typeof WatchState>>;

/** A watch in a list. */
const WatchSummary = WatchState.omit({ deliveries: true });
type WatchSummary = DeepReadonly<z.infer<typeof WatchSummary>>;

/** Watches, sorted by id. */
export const WatchList = z.object({
  watches: z.array(WatchSummary),
  nextCursor: z.string().describe('`cursor` of the next page.').exactOptional(),
});
export type WatchList = DeepReadonly<z.infer<typeof WatchList>>;

const AGAIN =
  'Shown once, and again when you resend the payment with the Idempotency-Key of the purchase. Otherwise null.';
const secret = z.string().describe('Verifies alerts (Standard Webhooks, v1). Shown once.');

/** A new watch with its key and secret, which are shown once. */
export const NewWatch = WatchState.extend({
  key: z.string().nullable().describe(`Manages the watch. ${AGAIN}`),
  secret: z.string().nullable().describe(`Verifies alerts (Standard Webhooks, v1). ${AGAIN}`),
});
export type NewWatchState = WatchState & WatchSecrets;

/** A watch with its new secret. */
export const RotatedWatch = WatchState.extend({ secret });
export type RotatedWatch = DeepReadonly<z.infer<typeof RotatedWatch>>;

export function watchState(watch: Watch, deliveries: readonly Delivery[], baseUrl: string): WatchState {
  return {
    ...watchSummary(watch, baseUrl),
    deliveries: deliveries.map(({ createdAt: at, triedAt, ...rest }) => ({
      ...rest,
      createdAt: at.toISOString(),
      triedAt: triedAt?.toISOString() ?? null,
    })),
  };
}

export function watchSummary(watch: Watch, baseUrl: string): WatchSummary {
  const { id, domain, url: to, types, status, reason, createdAt, endsAt, failingSince, alertsLeft } = watch;
  return {
    ...{ id, domain, url: to, reason },
    types: ALERT_TYPES.filter((type) => types.includes(type)),
    status: endsAt <= new Date() || alertsLeft === 0 ? 'ended' : status,
    createdAt: createdAt.toISOString(),
    endsAt: endsAt.toISOString(),
    failingSince: failingSince?.toISOString() ?? null,
    alertsLeft,
    manage: `${baseUrl}${watchPath({ id })}`,
  };
}
