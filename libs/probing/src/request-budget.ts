/** The target host of a request. */
interface RequestTarget {
  readonly host: string;
  /** Registrable domain. */
  readonly site: string;
}

/**
 * The request budget of one probe, called before every request, including redirects and retries. If it throws, the
 * whole probe ends, because a host without requests has not been probed.
 */
export interface RequestBudget {
  /** Whether the probe is free; then it never uses the document memory of paid ones. */
  readonly free: boolean;
  /**
   * Waits for a slot among the concurrent requests to this host; resolves to a function that releases it. Throws the
   * reason of `signal` if that is aborted before the host is known to be busy.
   */
  occupy(host: string, signal: AbortSignal): Promise<() => Promise<void>>;
  /** Counts a request to a host at one of these addresses, before it is sent. */
  spend(target: RequestTarget, addresses: readonly string[]): Promise<void>;
}

/** For a prober without shared limits, such as that of the command line. */
export const NO_BUDGET: RequestBudget = {
  free: false,
  occupy: () => Promise.resolve(() => Promise.resolve()),
  spend: () => Promise.resolve(),
};
