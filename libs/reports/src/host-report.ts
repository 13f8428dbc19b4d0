import type { Fix, JsonObject, ProtocolCell } from '@app/detectors';
import type { PaymentRails } from './payment-rails';

/** Spec 2.2, from the two clocks; a flag is stale when its clock is missing or older than its max age. */
export interface CacheState {
  readonly presenceMaxAgeSec: 86_400;
  readonly callabilityMaxAgeSec: 900;
  readonly presenceStale: boolean;
  readonly callabilityStale: boolean;
}

/** When a host was last looked at, ISO 8601; a missing clock was never set. */
export interface HostClocks {
  readonly probedAt?: string;
  readonly callabilityProbedAt?: string;
}

/** The report's `ucp` object (contract 3), as the ucp detector's details state it, or null without a profile. */
export type UcpSummary = JsonObject;

/**
 * Spec 2.1 without `cache` and `refresh`, which depend on the clock and on our prices: everything a worker can state
 * about a host. Stored as a string; a read appends the two.
 */
export interface HostFacts extends HostClocks {
  readonly domain: string;
  /** `https://` unless only plain http answered. */
  readonly origin: string;
  /** Absent for a host never probed. */
  readonly reachable?: boolean;
  readonly ucp: UcpSummary | null;
  readonly fixes: readonly Fix[];
  readonly protocols: readonly ProtocolCell[];
  readonly paymentRails: PaymentRails;
}

/** Spec 2.3. */
export interface RefreshOffer {
  readonly payable: true;
  readonly priceUsd: number;
  readonly network: string;
  readonly rest: { readonly method: 'GET'; readonly url: string };
  readonly mcp: { readonly tool: 'refresh_host'; readonly path: '/api/v1/mcp' };
  readonly docs: string;
}

/** Spec 2.1, as served. */
export interface HostReport extends HostFacts {
  /** There when the host is on the operator's list of those that are never probed; what was known stays readable. */
  readonly optedOut?: true;
  readonly cache: CacheState;
  readonly refresh: RefreshOffer;
}
