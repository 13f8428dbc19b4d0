import type { Run } from '@app/queue';
import { mergeCell, neverProbed } from '@app/reports';
import { requireReached } from './host-too-slow';
import type { JobDeps } from './job';

/** A probe of one protocol: rewrites its cell and moves no host clock (behaviour 3.4). */
export async function probeProtocol(
  { prober, recorder, judging }: JobDeps,
  run: Run<'protocol'>,
  deadlineMs: number,
): Promise<undefined> {
  const { host } = run;
  const judgement = await judging.with({ kind: 'protocol', protocol: run.protocol }, async (probe) => {
    const collected = await prober.collect(host, { plan: probe.plan, phases: ['presence', 'callability'], deadlineMs });
    return probe.judge(collected);
  });
  requireReached(judgement, deadlineMs);
  const { cells, fixes } = judgement;
  const [cell] = cells;
  if (!cell) throw new Error(`nothing judged the protocol ${run.protocol}`);
  const at = new Date();
  await recorder.record({
    run,
    cells,
    fixes,
    rails: null,
    phase: 'callability',
    at,
    factsAfter: (before) => mergeCell(before ?? neverProbed(host), cell, fixes),
    outcome: { domain: host.ascii, probedAt: at.toISOString(), protocol: cell.id, cell },
  });
}
