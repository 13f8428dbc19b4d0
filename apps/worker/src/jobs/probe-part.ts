import { parseProbeUrl } from '@app/hosts';
import type { Run, RunKind } from '@app/queue';
import { endpointHealth, mergeCell, neverProbed, type EndpointHealth, type PayToFinding } from '@app/reports';
import { requireReached } from './host-too-slow';
import type { Job, JobDeps } from './job';

/** Probes one protocol. This replaces its cell and does not change the host's timestamps (behaviour 3.4). */
async function probeProtocol(
  { prober, recorder, judging }: JobDeps,
  run: Run<'protocol'>,
  deadlineMs: number,
): Promise<undefined> {
  const { host } = run;
  const judgement = await judging.with({ kind: 'protocols', protocols: [run.protocol] }, async (probe) => {
    const collected = await prober.collect(host, { plan: probe.plan, phases: ['presence', 'callability'], deadlineMs });
    return probe.judge(collected);
  });
  requireReached(judgement, deadlineMs);
  const { cells, fixes } = judgement;
  const [cell] = cells;
  if (!cell) throw new Error(`no detector judged the protocol ${run.protocol}`);
  const at = new Date();
  await recorder.record({
    run,
    cells,
    rails: null,
    phase: 'callability',
    at,
    factsAfter: (before) => mergeCell(before ?? neverProbed(host), cell, fixes),
    outcome: { domain: host.ascii, probedAt: at.toISOString(), protocol: cell.id, cell },
  });
}

/** Sends one unpaid request to an endpoint, without changing a report. */
async function probeEndpoint(
  { prober }: JobDeps,
  run: Run<'endpoint_health'>,
  deadlineMs: number,
): Promise<EndpointHealth> {
  const reading = parseProbeUrl(run.url);
  if (!reading.ok) throw new Error(`the URL of the run cannot be probed: ${reading.reason}`);
  const probe = await prober.probe(reading.url, run.method, AbortSignal.timeout(Math.max(0, deadlineMs)));
  return endpointHealth(reading.url, probe);
}

/**
 * Collects the recipients that a domain names. The result does not depend on the checked address, so concurrent buyers
 * share it.
 */
function checkPayTo(
  { prober, judging }: JobDeps,
  { host }: Run<'payto_check'>,
  deadlineMs: number,
): Promise<PayToFinding> {
  return judging.with({ kind: 'payto_check' }, async (probe) => {
    const collected = await prober.collect(host, { plan: probe.plan, phases: ['presence', 'callability'], deadlineMs });
    return probe.payTo(collected);
  });
}

/** The jobs that probe less than a whole host, by kind. */
export const PART_JOBS = {
  protocol: probeProtocol,
  endpoint_health: probeEndpoint,
  payto_check: checkPayTo,
} as const satisfies { readonly [Kind in RunKind]?: Job<Kind> };
