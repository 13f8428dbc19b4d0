import type { Offer } from '@app/payments';
import type { HostName } from '@app/reports';
import type { Job } from './paywall.service';

/**
 * One thing that is sold, in one place for REST and MCP: how its arguments read, what it costs, and what is done for the
 * money. Both doors call `parse`, then the limits, then {@link Shop.buy}, so that they cannot drift.
 */
export interface PaidOperation<Args> {
  /** Arguments as a stranger sent them, by the names of the route's parameters. @throws {RequestError} 400 */
  parse(raw: unknown): Args;
  offer(args: Args): Offer;
  job(args: Args): Job;
  /** The origin whose subscribers have it included (contract 5); missing when it is sold to everybody. */
  origin?(args: Args): HostName;
}
