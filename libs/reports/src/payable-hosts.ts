import type { PaymentRail } from './payment-rails';

/** Contract 6: a host that answered with a payable challenge, and when that was seen. Evidence, not a recommendation. */
export interface PayableHost {
  readonly domain: string;
  /** The rails that were asked for, as the report shows them. */
  readonly rails: readonly PaymentRail[];
  /** When the newest of these rails was seen. */
  readonly observedAt: string;
}

/** Contract 6, the answer of `find_payable`: hosts in alphabetical order. */
export interface PayableHosts {
  readonly hosts: readonly PayableHost[];
  /** Continues the list after its last host. */
  readonly nextCursor?: string;
}

/** Rails shown of one host; its report has them all. */
export const MAX_RAILS_LISTED = 5;

/** One page of the list. `found` comes in order and may hold one more than `limit`, which then makes `nextCursor`. */
export function payableHostsPage(found: readonly PayableHost[], limit: number): PayableHosts {
  const hosts = found.slice(0, limit).map((host) => ({ ...host, rails: host.rails.slice(0, MAX_RAILS_LISTED) }));
  const last = found.length > limit ? hosts.at(-1) : undefined;
  return { hosts, ...(last ? { nextCursor: last.domain } : {}) };
}
