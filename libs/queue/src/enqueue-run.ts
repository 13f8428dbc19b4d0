import { TargetBusyError } from '@app/limits';
import { defined, traceparent } from '@app/platform';
import type { ProbeProducer } from './producer';
import type { HostName } from '@app/hosts';
import { orderOf } from './run-contract';

/** The dependencies for enqueueing a run. */
interface EnqueueDeps {
  /** Counts the run against its host. @throws {TargetBusyError} if the budgets of the host are used up */
  readonly count: () => Promise<void>;
  readonly producer: Pick<ProbeProducer, 'add'>;
  readonly runs: { fail(id: string, failure: string): Promise<void> };
}

/** The parts of a run's row that its job needs. */
interface NewRun {
  readonly id: string;
  readonly kind: string;
  readonly domain: string;
}

/**
 * Counts a new run against its host and enqueues it. If that fails, the run is marked as failed, so that callers who
 * joined it find out.
 * @param requestId the HTTP request that started it, for the logs
 * @throws {TargetBusyError} if the budget of the host is used up, and errors of the backend
 */
export async function enqueueRun(
  { count, producer, runs }: EnqueueDeps,
  { id, kind, domain }: NewRun,
  requestId?: string,
): Promise<void> {
  try {
    await count();
    await producer.add(`${kind} ${domain}`, defined({ runId: id, requestId, traceparent: traceparent() }));
  } catch (error) {
    await runs.fail(id, error instanceof TargetBusyError ? error.code : 'not_enqueued');
    throw error;
  }
}

/** How long a check may wait in the queue, in milliseconds. */
const CHECK_MS = 120_000;

/** The part of the run repository that checks need. */
interface Runs<Row extends NewRun> {
  open(order: ReturnType<typeof orderOf>, deadlineAt: Date): Promise<{ readonly run: Row; readonly fresh: boolean }>;
  fail(id: string, failure: string): Promise<void>;
}

/**
 * Enqueues a check of a claim's record or file, unless one is already pending. The worker counts it against the host
 * only before it sends a request there: DNS queries cost the host nothing.
 * @param producer of the queue `claims`
 * @throws errors of the backend
 */
export async function enqueueClaimCheck<Row extends NewRun>(
  { runs, producer }: { readonly runs: Runs<Row>; readonly producer: Pick<ProbeProducer, 'add'> },
  host: HostName,
  claim: string,
): Promise<Row> {
  const { run, fresh } = await runs.open(
    orderOf({ kind: 'claim_check', host, claim }),
    new Date(Date.now() + CHECK_MS),
  );
  if (fresh) await enqueueRun({ count: () => Promise.resolve(), producer, runs }, run);
  return run;
}
