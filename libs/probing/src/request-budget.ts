/** Whom a request goes to. */
export interface RequestTarget {
  readonly host: string;
  /** Registrable domain. */
  readonly site: string;
}

/**
 * What hosts may be asked for by everybody together; asked before every request, redirect hops and repetitions
 * included. What it throws ends the whole look: a host that may not be asked has not been looked at.
 */
export interface RequestBudget {
  /**
   * Waits for a place among the requests under way at this host; resolves to what gives it back. Throws the reason of
   * `signal` when that ends before the host turned out to be busy.
   */
  occupy(host: string, signal: AbortSignal): Promise<() => Promise<void>>;
  /** Counts one request about to be sent to a host at one of these addresses. */
  spend(target: RequestTarget, addresses: readonly string[]): Promise<void>;
}

/** For a prober on its own, such as the command line's. */
export const NO_BUDGET: RequestBudget = {
  occupy: () => Promise.resolve(() => Promise.resolve()),
  spend: () => Promise.resolve(),
};
