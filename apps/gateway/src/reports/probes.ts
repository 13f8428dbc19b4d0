import type { DetectorId } from '@app/detectors';
import type { HostRepository, StoredReport } from '@app/storage';
import type { RunRequest } from '@app/queue';
import type { HostName } from '@app/hosts';
import type { ProbeClient } from '../probing-client/probe-client';

/** A full probe of a host. */
export function hostProbe(host: HostName): RunRequest<'host'> {
  return { kind: 'host', host };
}

/** A probe of one protocol of a host. */
export function protocolProbe(host: HostName, protocol: DetectorId): RunRequest<'protocol'> {
  return { kind: 'protocol', host, protocol };
}

interface Deps {
  readonly probes: Pick<ProbeClient, 'run'>;
  readonly hosts: Pick<HostRepository, 'findReport'>;
}

/** Probes a whole host now. Afterwards, free reads return the same report. @throws like `ProbeClient.run` */
export async function liveReport({ probes, hosts }: Deps, host: HostName): Promise<StoredReport> {
  await probes.run(hostProbe(host));
  const stored = await hosts.findReport(host.ascii);
  if (!stored) throw new Error('a finished probe leaves a report');
  return stored;
}
