import { endpointHealth, parseProbeUrl, type HostName } from '@app/reports';
import type { Run } from '@app/persistence';
import type { JobParts } from './job';

/** One unpaid request to an endpoint; it changes no report. */
export async function probeEndpoint(
  { prober, runs }: JobParts,
  run: Run<'endpoint_health'>,
  _host: HostName,
  deadlineMs: number,
): Promise<void> {
  const reading = parseProbeUrl(run.url);
  if (!reading.ok) throw new Error(`a run names a URL that is none to probe: ${reading.reason}`);
  const look = await prober.probe(reading.url, run.method, AbortSignal.timeout(Math.max(0, deadlineMs)));
  await runs.finish(run.id, endpointHealth(reading.url, look));
}
