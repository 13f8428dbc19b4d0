import type { Run } from '@app/queue';
import { parseProbeUrl } from '@app/hosts';
import { endpointHealth, type EndpointHealth } from '@app/reports';
import type { JobDeps } from './job';

/** One unpaid request to an endpoint; it changes no report. */
export async function probeEndpoint(
  { prober }: JobDeps,
  run: Run<'endpoint_health'>,
  deadlineMs: number,
): Promise<EndpointHealth> {
  const reading = parseProbeUrl(run.url);
  if (!reading.ok) throw new Error(`a run names a URL that is none to probe: ${reading.reason}`);
  const probe = await prober.probe(reading.url, run.method, AbortSignal.timeout(Math.max(0, deadlineMs)));
  return endpointHealth(reading.url, probe);
}
