/** Postgres refuses a notice of 8,000 octets and more. */
const MAX_OCTETS = 7_999;

/** What a gateway is told when a run has ended. */
export interface RunNotice {
  readonly runId: string;
  /** What the worker found, as JSON text; undefined when it failed or does not fit: then the row tells. */
  readonly outcome: string | undefined;
}

/**
 * Payload of the notice `run_finished`: the id of the run and what was found, so that whoever waits need not ask for the
 * row. It is sent by the transaction that stores the outcome, and so never before that is stored.
 */
export function runNotice(runId: string, outcome: string): string {
  const payload = `${runId} ${outcome}`;
  return Buffer.byteLength(payload) <= MAX_OCTETS ? payload : runId;
}

/** Reads what `runNotice` made. */
export function readRunNotice(payload: string): RunNotice {
  const end = payload.indexOf(' ');
  return end === -1
    ? { runId: payload, outcome: undefined }
    : { runId: payload.slice(0, end), outcome: payload.slice(end + 1) };
}
