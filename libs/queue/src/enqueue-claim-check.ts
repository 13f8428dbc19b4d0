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
  ): Promise<{ readonly run: { readonly id: string; readonly domain: string }; readonly fresh: boolean }>;
  fail(id: string, failure: string): Promise<void>;
}

/**
 * Has a worker check what is published for a claim, unless it does so already. It counts against the requests of the
 * host and not against its probes: who claims a host must not use up what others may buy of it.
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
  const budgets = { beginProbe: () => Promise.resolve() };
  if (fresh) await enqueueRun({ budgets, producer, runs }, run);
}
