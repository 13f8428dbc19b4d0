/** Requests of a full probe, as budgets count it: what smaller runs send is weighed against it (behaviour 12.3). */
const FULL_PROBE_REQUESTS = 26;
/** Most requests that one probe sends (behaviour 12.2). */
const MOST_REQUESTS = 40;
/** A weight is counted in twentieths: a full probe is twenty of them. */
export const FULL_WEIGHT = 20;
/** An address block holds many sites, so it may get the free probes of this many. */
const SITES_PER_BLOCK = 8;

interface Kind {
  /** Requests that one run of the kind sends, where the run does not say it itself. */
  readonly requests: number;
  /** Its part of the requests a minute to a registrable domain or an address block. */
  readonly share: number;
  /** Runs for one registrable domain in a day, as a multiple of `FREE_PROBES_PER_SITE_DAY`; null for no limit. */
  readonly siteDays: number | null;
}

/**
 * Who a run is for. Each kind has a pot of its own for each registrable domain and address block, so that free work of
 * one kind takes nothing from another. All free kinds together have half of the requests: the rest is left to buyers
 * (behaviour 12.10).
 */
export const PROBE_KINDS = {
  /** Paid probes. */
  paid: { requests: FULL_PROBE_REQUESTS, share: 1, siteDays: null },
  /** Free probes that a reader requested. */
  first: { requests: 21, share: 5 / 24, siteDays: 1 },
  /** Scheduled probes of known hosts. */
  scheduled: { requests: 21, share: 2 / 24, siteDays: 1 },
  /** Probes of watched hosts. */
  watch: { requests: FULL_PROBE_REQUESTS, share: 2 / 24, siteDays: 8 },
  /** Probes requested by the owner, and rechecks of verified claims. */
  owner: { requests: FULL_PROBE_REQUESTS, share: 1 / 24, siteDays: 8 },
  /** Checks of claims that were never verified. */
  claim: { requests: 2, share: 1 / 24, siteDays: 4 },
  /** The operator's list: its hosts and days are the operator's choice. */
  census: { requests: FULL_PROBE_REQUESTS, share: 1 / 24, siteDays: null },
} as const satisfies Readonly<Record<string, Kind>>;

export type ProbeKind = keyof typeof PROBE_KINDS;

/** The weight of a run with this many requests, in twentieths of a full probe. */
export function weightOf(requests: number): number {
  return Math.min(FULL_WEIGHT, Math.ceil((requests / FULL_PROBE_REQUESTS) * FULL_WEIGHT));
}

/** The share of a kind in the requests per minute; at least one probe fits. */
export function shareOf(kind: ProbeKind, requestsPerMin: number): number {
  return Math.max(MOST_REQUESTS, Math.floor(requestsPerMin * PROBE_KINDS[kind].share));
}

/** What all free kinds together may have of something, so that buyers keep half; `least` fits in any case. */
export function freeHalf(all: number, least = MOST_REQUESTS): number {
  return Math.max(least, Math.floor(all / 2));
}

/** Runs of a kind in a day for one registrable domain and for one address block; undefined for no limit. */
export function dayPot(kind: ProbeKind, freeProbesPerSiteDay: number): { site: number; block: number } | undefined {
  const { siteDays } = PROBE_KINDS[kind];
  const site = (siteDays ?? 0) * freeProbesPerSiteDay;
  return site === 0 ? undefined : { site, block: site * SITES_PER_BLOCK };
}
