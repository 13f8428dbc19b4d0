import type { HostName } from '@app/reports';
import { enqueueRun } from './enqueue-run';
import type { ProbeProducer } from './producer';
import { orderOf } from './run-contract';

/** A check may wait this long for its turn, in milliseconds. */
const CHECK_MS = 120_000;

/** Where runs are kept, as much of it as a check needs. */
interface Runs {
  open(
    order: ReturnType<typeof orderOf>,
    deadlineAt: Date,
  ): Promise<{ readonly run: { readonly id: string }; readonly fresh: boolean }>;
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
