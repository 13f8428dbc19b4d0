/** Requests of a full probe as budgets count them. Smaller runs count as a fraction of it (behaviour 12.3). */
const FULL_PROBE_REQUESTS = 26;
/** The maximum number of requests of one probe (behaviour 12.2). */
const MOST_REQUESTS = 40;
/** Weights are counted in twentieths of a full probe. */
export const FULL_WEIGHT = 20;
/** An address block contains many sites, so it may get this many times the free probes of a site. */
const SITES_PER_BLOCK = 8;

interface Kind {
  /** The requests of one run of this kind, unless the run has its own number. */
  readonly requests: number;
  /** Its share of the requests per minute to a registrable domain or an address block. */
  readonly share: number;
  /** Runs per registrable domain and day, as a multiple of `FREE_PROBES_PER_SITE_DAY`; null means no limit. */
  readonly siteDays: number | null;
}

/**
 * The purpose of a run. Each kind has its own budget ("pot") for each registrable domain and address block, so that
 * free work of one kind does not reduce that of another. All free kinds together get half of the requests; the rest is
 * reserved for buyers (behaviour 12.10).
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
  /** Probes of the operator's list; the operator chooses its hosts and days. */
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

/** The part of a budget that all free kinds may use together, so that buyers keep half; at least `least`. */
export function freeHalf(all: number, least = MOST_REQUESTS): number {
  return Math.max(least, Math.floor(all / 2));
}

/** How many runs of a kind one registrable domain and one address block may get per day; undefined means no limit. */
export function dayPot(kind: ProbeKind, freeProbesPerSiteDay: number): { site: number; block: number } | undefined {
  const { siteDays } = PROBE_KINDS[kind];
  const site = (siteDays ?? 0) * freeProbesPerSiteDay;
  return site === 0 ? undefined : { site, block: site * SITES_PER_BLOCK };
}
