import { mergeCell, neverProbed, type HostName } from '@app/reports';
import type { Run } from '@app/persistence';
import type { JobParts } from './job';

/** A look at one protocol: rewrites its cell and moves no host clock (contract 3). */
export async function probeProtocol(
  { prober, recorder, judging }: JobParts,
  run: Run<'protocol'>,
  host: HostName,
  deadlineMs: number,
): Promise<void> {
  const { cells, fixes } = await judging.with({ kind: 'protocol', protocol: run.protocol }, async (look) => {
    const collected = await prober.collect(host, { plan: look.plan, phases: ['presence', 'callability'], deadlineMs });
    return look.verdicts(collected);
  });
  const [cell] = cells;
  if (!cell) throw new Error(`nothing judged the protocol ${run.protocol}`);
  const at = new Date();
  await recorder.record({
    host,
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
