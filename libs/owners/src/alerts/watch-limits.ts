/** Days and alerts that one payment buys. */
export const BOUGHT_WATCH = { days: 30, alerts: 100 } as const;

export const WATCH_STATUSES = ['pending', 'active', 'ended'] as const;
export type WatchStatus = (typeof WATCH_STATUSES)[number];

/** Watches of one claim or subscription. */
const WATCHES_PER_OWNER = 10;
/** Watches of one host, and of one registrable domain. Those of claims, which cost nothing, take no room of those that were bought. */
export const WATCHES_OF_HOST = { free: 100, bought: 1_000 } as const;
export const WATCHES_OF_SITE = { free: 400, bought: 4_000 } as const;

/** What a watch can be of: how many watches it has at most, and the alerts of each, null where they are not counted. */
export const WATCH_OWNERS = {
  claim: { price: 'free', most: WATCHES_PER_OWNER, alerts: null },
  subscription: { price: 'bought', most: WATCHES_PER_OWNER, alerts: null },
  payment: { price: 'bought', most: 1, alerts: BOUGHT_WATCH.alerts },
} as const;
export type WatchPrice = keyof typeof WATCHES_OF_HOST;

/** Watches that take room of others of their price. */
export interface WatchCounts {
  readonly ofHost: number;
  readonly ofSite: number;
}

/** Whether a host has room for another watch of that price. */
export function hasRoom(price: WatchPrice, { ofHost, ofSite }: WatchCounts): boolean {
  return ofHost < WATCHES_OF_HOST[price] && ofSite < WATCHES_OF_SITE[price];
}
