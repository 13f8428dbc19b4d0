import { findDetector, HostEvidence, runDetector } from '@app/detectors';
import { mergeCell, neverProbed, type HostName } from '@app/reports';
import type { Run } from '@app/persistence';
import type { JobParts } from './job';

/** A look at one protocol: rewrites its cell and moves no host clock (contract 3). */
export async function probeProtocol(
  { prober, recorder }: JobParts,
  run: Run<'protocol'>,
  host: HostName,
  deadlineMs: number,
): Promise<void> {
  const detector = findDetector(run.protocol);
  if (!detector) throw new Error(`a run names the unknown protocol ${run.protocol}`);
  const collected = await prober.collect(host, {
    detectors: [detector],
    phases: ['presence', 'callability'],
    deadlineMs,
  });
  const { cell, fixes } = runDetector(detector, new HostEvidence(collected));
  const at = new Date();
  await recorder.record({
    host,
    run,
    cells: [cell],
    fixes,
    rails: null,
    phase: 'callability',
    at,
    factsAfter: (before) => mergeCell(before ?? neverProbed(host), cell, fixes),
    outcome: { domain: host.ascii, probedAt: at.toISOString(), protocol: detector.id, cell },
  });
}
