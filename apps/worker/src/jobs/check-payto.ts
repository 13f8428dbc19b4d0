import type { HostName } from '@app/reports';
import type { Run } from '@app/persistence';
import type { JobParts } from './job';

/** Collects who a domain says is to be paid. What it finds holds for every address, so simultaneous buyers share it. */
export async function checkPayTo(
  { prober, runs, judging }: JobParts,
  run: Run<'payto_check'>,
  host: HostName,
  deadlineMs: number,
): Promise<void> {
  const finding = await judging.with({ kind: 'payto_check' }, async (look) => {
    const collected = await prober.collect(host, { plan: look.plan, phases: ['presence', 'callability'], deadlineMs });
    return look.payTo(collected);
  });
  await runs.finish(run.id, finding);
}
