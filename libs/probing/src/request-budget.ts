/** The host that a request goes to. */
interface RequestTarget {
  readonly host: string;
  /** Registrable domain. */
  readonly site: string;
}

/**
 * The request budget of one probe. It is called before every request, including redirects and repetitions.
 * What it throws ends the whole probe: a host that may get no request has not been probed.
 */
export interface RequestBudget {
  /** Whether the probe is free: it never takes room for documents from paid ones then. */
  readonly free: boolean;
  /**
   * Waits for a slot among the requests under way at this host; resolves to what gives it back. Throws the reason of
   * `signal` when that ends before the host turned out to be busy.
   */
  occupy(host: string, signal: AbortSignal): Promise<() => Promise<void>>;
  /** Counts one request about to be sent to a host at one of these addresses. */
  spend(target: RequestTarget, addresses: readonly string[]): Promise<void>;
}

/** For a prober on its own, such as the command line's. */
export const NO_BUDGET: RequestBudget = {
  free: false,
  occupy: () => Promise.resolve(() => Promise.resolve()),
  spend: () => Promise.resolve(),
};
