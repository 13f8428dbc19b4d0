import { TargetBusyError } from '@app/limits';
import { defined } from '@app/platform';
import type { ProbeProducer } from './producer';

/** What a run goes through on its way into the queue. */
interface Way {
  /** Counts the run against its host. @throws {TargetBusyError} when the budgets of the host are spent */
  readonly count: () => Promise<void>;
  readonly producer: Pick<ProbeProducer, 'add'>;
  readonly runs: { fail(id: string, failure: string): Promise<void> };
}

/**
 * Counts a new run against its host and puts it into the queue. One that does not get there is failed, so that those
 * who joined it meanwhile learn of it.
 * @param requestId the HTTP request that began it, for the logs
 * @throws {TargetBusyError} when the budget of the host is spent, and what the backend throws
 */
export async function enqueueRun(
  { count, producer, runs }: Way,
  { id }: { readonly id: string },
  requestId?: string,
): Promise<void> {
  try {
    await count();
    await producer.add(defined({ runId: id, requestId }));
  } catch (error) {
    await runs.fail(id, error instanceof TargetBusyError ? error.code : 'not_enqueued');
    throw error;
  }
}
