import { TargetBusyError } from '@app/limits';
import { defined } from '@app/objects';
import type { ProbeProducer } from './producer';

/** What a run goes through on its way into the queue. */
interface Way {
  /** The request budgets of the host. @throws {TargetBusyError} when they are spent */
  readonly budgets: { beginProbe(domain: string): Promise<void> };
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
  { budgets, producer, runs }: Way,
  { id, domain }: { readonly id: string; readonly domain: string },
  requestId?: string,
): Promise<void> {
  try {
    await budgets.beginProbe(domain);
    await producer.add(defined({ runId: id, requestId }));
  } catch (error) {
    await runs.fail(id, error instanceof TargetBusyError ? error.code : 'not_enqueued');
    throw error;
  }
}
