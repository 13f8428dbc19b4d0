/** Postgres refuses a notice of 8,000 bytes and more. */
const MAX_BYTES = 7_999;

/** The notification that a gateway gets when a run has ended. */
interface RunNotice {
  readonly runId: string;
  /** What the worker found, as JSON text; undefined when it failed or does not fit: then the row tells. */
  readonly outcome: string | undefined;
}

/**
 * Payload of the notice `run_finished`: the id of the run and what was found, so that a waiter need not read the
 * row. It is sent by the transaction that stores the outcome, and so never before that is stored.
 */
export function runNotice(runId: string, outcome: string): string {
  const payload = `${runId} ${outcome}`;
  return Buffer.byteLength(payload) <= MAX_BYTES ? payload : runId;
}

/** Reads what `runNotice` made. */
export function readRunNotice(payload: string): RunNotice {
  const end = payload.indexOf(' ');
  return end === -1
    ? { runId: payload, outcome: undefined }
    : { runId: payload.slice(0, end), outcome: payload.slice(end + 1) };
}

/** The progress of a probe: the protocols that it requests, never its findings (behaviour 3.14). */
export interface RunProgress {
  readonly phase: string;
  /** Ids of protocols. */
  readonly protocols: readonly string[];
}

/** Payload of the notice `run_progress`. */
export function progressNotice(runId: string, { phase, protocols }: RunProgress): string {
  return [runId, phase, ...protocols].join(' ');
}

/** Reads what `progressNotice` made. */
export function readProgressNotice(payload: string): RunProgress & { readonly runId: string } {
  const [runId = '', phase = '', ...protocols] = payload.split(' ');
  return { runId, phase, protocols };
}
