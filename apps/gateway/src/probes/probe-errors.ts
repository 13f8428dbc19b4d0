const SENTENCES = {
  no_worker: 'live looks are not available right now; try again in a moment',
  queue_away: 'live looks are not available right now; try again in a moment',
  busy: 'too many looks are waiting; try again in a moment',
  batch_failed: 'none of the looks could be made, for reasons of ours; try again in a moment, nothing was charged',
} as const;

/** No look can be made now, for reasons of ours: answered 503 before any payment. */
export class ProbesUnavailableError extends Error {
  constructor(readonly code: keyof typeof SENTENCES) {
    super(SENTENCES[code]);
    this.name = 'ProbesUnavailableError';
  }
}

/** The look did not end in time: answered 504, uncharged. */
export class ProbeTimeoutError extends Error {
  readonly code = 'probe_timeout';
  constructor(readonly runId: string) {
    super('the look did not finish in time; nothing was charged');
    this.name = 'ProbeTimeoutError';
  }
}

/** The look failed for a reason of ours: answered 502, uncharged. */
export class ProbeFailedError extends Error {
  readonly code = 'probe_failed';
  constructor(readonly failure: string) {
    super('the look failed on our side; nothing was charged');
    this.name = 'ProbeFailedError';
  }
}

/** The host, or a name above it, is on the list of those that are never probed: answered 403 before any payment. */
export class OptedOutError extends Error {
  readonly code = 'opted_out';
  constructor(readonly domain: string) {
    super('the owner of this host has asked not to be probed; what is known of it stays free to read');
    this.name = 'OptedOutError';
  }
}
