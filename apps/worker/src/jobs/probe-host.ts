import { DETECTORS, HostEvidence, judgeHost } from '@app/detectors';
import { assembleFacts, originFrom, paymentRails, reachableFrom, type HostName } from '@app/reports';
import type { Run } from '@app/persistence';
import type { JobParts } from './job';

/** A full look: every detector, presence and callability, both clocks. */
export async function probeHost(
  { prober, recorder }: JobParts,
  run: Run<'host'>,
  host: HostName,
  deadlineMs: number,
): Promise<void> {
  const collected = await prober.collect(host, {
    detectors: DETECTORS,
    phases: ['presence', 'callability'],
    deadlineMs,
  });
  const seen = new HostEvidence(collected);
  const { cells, fixes } = judgeHost(DETECTORS, seen);
  const rails = paymentRails(seen);
  const at = new Date();
  const clocks = { probedAt: at.toISOString(), callabilityProbedAt: at.toISOString() };
  const { exchanges } = collected;
  const look = {
    host,
    origin: originFrom(host, exchanges),
    reachable: reachableFrom(exchanges),
    cells,
    fixes,
    rails,
    clocks,
  };
  await recorder.record({
    host,
    run,
    cells,
    fixes,
    rails,
    phase: 'callability',
    at,
    exchanges,
    factsAfter: () => assembleFacts(look),
    outcome: { domain: host.ascii, probedAt: clocks.probedAt },
  });
}
