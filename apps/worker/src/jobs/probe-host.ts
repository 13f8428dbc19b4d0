import { assembleFacts, originFrom, reachableFrom, type HostName } from '@app/reports';
import type { Run } from '@app/persistence';
import type { JobParts } from './job';

/** A full look: every detector, presence and callability, both clocks. */
export async function probeHost(
  { prober, recorder, judging }: JobParts,
  run: Run<'host'>,
  host: HostName,
  deadlineMs: number,
): Promise<void> {
  const { collected, verdicts } = await judging.with({ kind: 'host' }, async (look) => {
    const collected = await prober.collect(host, { plan: look.plan, phases: ['presence', 'callability'], deadlineMs });
    return { collected, verdicts: await look.verdicts(collected) };
  });
  const { cells, fixes, rails } = verdicts;
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
