import type { Run } from '@app/queue';
import type { PayToFinding } from '@app/reports';
import type { JobDeps } from './job';

/** Collects who a domain says is to be paid. What it finds holds for every address, so simultaneous buyers share it. */
export function checkPayTo(
  { prober, judging }: JobDeps,
  { host }: Run<'payto_check'>,
  deadlineMs: number,
): Promise<PayToFinding> {
  return judging.with({ kind: 'payto_check' }, async (probe) => {
    const collected = await prober.collect(host, { plan: probe.plan, phases: ['presence', 'callability'], deadlineMs });
    return probe.payTo(collected);
  });
}
