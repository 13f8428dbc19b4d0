/** Postgres rejects notifications of 8,000 bytes and more. */
const MAX_BYTES = 7_999;

/** The notification that a gateway gets when a run has ended. */
interface RunNotice {
  readonly runId: string;
  /** The outcome as JSON text; undefined if the run failed or the text does not fit; then it is in the row. */
  readonly outcome: string | undefined;
}

/**
 * The payload of a `run_finished` notification: the id and outcome of the run, so that waiting processes need not read
 * the row. The transaction that stores the outcome sends it.
 */
export function runNotice(runId: string, outcome: string): string {
  const payload = `${runId} ${outcome}`;
  return Buffer.byteLength(payload) <= MAX_BYTES ? payload : runId;
}

/** Parses the payload of `runNotice`. */
export function readRunNotice(payload: string): RunNotice {
  const end = payload.indexOf(' ');
  return end === -1
    ? { runId: payload, outcome: undefined }
    : { runId: payload.slice(0, end), outcome: payload.slice(end + 1) };
}

/** The progress of a probe: the protocols being checked, never its findings (behaviour 3.14). */
export interface RunProgress {
  readonly phase: string;
  /** Protocol ids. */
  readonly protocols: readonly string[];
}

/** The payload of a `run_progress` notification. */
export function progressNotice(runId: string, { phase, protocols }: RunProgress): string {
  return [runId, phase, ...protocols].join(' ');
}

/** Parses the payload of `progressNotice`. */
export function readProgressNotice(payload: string): RunProgress & { readonly runId: string } {
  const [runId = '', phase = '', ...protocols] = payload.split(' ');
  return { runId, phase, protocols };
}
