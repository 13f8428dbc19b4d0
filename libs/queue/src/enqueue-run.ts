import { TargetBusyError } from '@app/limits';
import type { ProbeProducer } from './producer';

/** What a run goes through on its way into the queue. */
interface Way {
  /** What the host may be asked. @throws {TargetBusyError} when that is spent */
  readonly budgets: { beginLook(domain: string): Promise<void> };
  readonly producer: Pick<ProbeProducer, 'add'>;
  readonly runs: { fail(id: string, failure: string): Promise<void> };
}

/**
 * Counts a new run against its host and puts it into the queue. One that does not get there is failed, so that whoever
 * joined it meanwhile learns of it.
 * @param requestId the request that asked for it, for the logs
 * @throws {TargetBusyError} when the budget of the host is spent, and what the backend throws
 */
export async function enqueueRun(
  { budgets, producer, runs }: Way,
  { id, domain }: { readonly id: string; readonly domain: string },
  requestId?: string,
): Promise<void> {
  try {
    await budgets.beginLook(domain);
    await producer.add({ runId: id, ...(requestId === undefined ? {} : { requestId }) });
  } catch (error) {
    await runs.fail(id, error instanceof TargetBusyError ? error.code : 'not_enqueued');
    throw error;
  }
}
