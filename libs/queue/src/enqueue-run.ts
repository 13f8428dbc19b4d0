import { TargetBusyError } from '@app/limits';
import { defined, traceparent } from '@app/platform';
import type { ProbeProducer } from './producer';
import type { HostName } from '@app/hosts';
import { orderOf } from './run-contract';

/** What a run goes through on its way into the queue. */
interface EnqueueDeps {
  /** Counts the run against its host. @throws {TargetBusyError} when the budgets of the host are spent */
  readonly count: () => Promise<void>;
  readonly producer: Pick<ProbeProducer, 'add'>;
  readonly runs: { fail(id: string, failure: string): Promise<void> };
}

/** The row of a run, as much of it as names its job. */
interface NewRun {
  readonly id: string;
  readonly kind: string;
  readonly domain: string;
}

/**
 * Counts a new run against its host and puts it into the queue. One that does not get there is failed, so that those
 * who joined it meanwhile learn of it.
 * @param requestId the HTTP request that began it, for the logs
 * @throws {TargetBusyError} when the budget of the host is spent, and what the backend throws
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

/** A check may wait this long for its turn, in milliseconds. */
const CHECK_MS = 120_000;

/** Where runs are kept, as much of it as a check needs. */
interface Runs {
  open(order: ReturnType<typeof orderOf>, deadlineAt: Date): Promise<{ readonly run: NewRun; readonly fresh: boolean }>;
  fail(id: string, failure: string): Promise<void>;
}

/**
 * Has a worker check what is published for a claim, unless it does so already. The worker counts it against the host, and
 * only where it is about to ask the host: what name servers say costs the host nothing.
 * @param producer of the queue `claims`
 * @throws what the backend throws
 */
export async function enqueueClaimCheck(
  { runs, producer }: { readonly runs: Runs; readonly producer: Pick<ProbeProducer, 'add'> },
  host: HostName,
  claim: string,
): Promise<void> {
  const { run, fresh } = await runs.open(
    orderOf({ kind: 'claim_check', host, claim }),
    new Date(Date.now() + CHECK_MS),
  );
  if (fresh) await enqueueRun({ count: () => Promise.resolve(), producer, runs }, run);
}
