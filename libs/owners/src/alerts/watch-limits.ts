/** How many days and alerts one payment buys. */
export const BOUGHT_WATCH = { days: 30, alerts: 100 } as const;

export const WATCH_STATUSES = ['pending', 'active', 'ended'] as const;
export type WatchStatus = (typeof WATCH_STATUSES)[number];

/** The maximum number of watches per claim or subscription. */
const WATCHES_PER_OWNER = 10;
/**
 * The maximum number of watches per host and per registrable domain. Free ones, of claims, do not use up the places of
 * paid ones.
 */
export const WATCHES_OF_HOST = { free: 100, bought: 1_000 } as const;
export const WATCHES_OF_SITE = { free: 400, bought: 4_000 } as const;

/** The kinds of owners of watches: the maximum number of watches, and the alerts of each, null if unlimited. */
export const WATCH_OWNERS = {
  claim: { price: 'free', most: WATCHES_PER_OWNER, alerts: null },
  subscription: { price: 'bought', most: WATCHES_PER_OWNER, alerts: null },
  payment: { price: 'bought', most: 1, alerts: BOUGHT_WATCH.alerts },
} as const;
export type WatchPrice = keyof typeof WATCHES_OF_HOST;

/** Existing watches with the same price. */
export interface WatchCounts {
  readonly ofHost: number;
  readonly ofSite: number;
}

/** Whether a host can have another watch of that price. */
export function hasRoom(price: WatchPrice, { ofHost, ofSite }: WatchCounts): boolean {
  return ofHost < WATCHES_OF_HOST[price] && ofSite < WATCHES_OF_SITE[price];
}
