import type { HostRepository, StoredReport } from '@app/persistence';
import type { HostName } from '@app/reports';
import type { ProbeClient } from '../probes/probe-client';
import { hostLook } from './looks';

interface Parts {
  readonly probes: Pick<ProbeClient, 'run'>;
  readonly hosts: Pick<HostRepository, 'findReport'>;
}

/** Looks at a whole host now. The report it leaves is also everybody's next free read. @throws as `ProbeClient.run` */
export async function liveReport({ probes, hosts }: Parts, host: HostName): Promise<StoredReport> {
  await probes.run(hostLook(host));
  const stored = await hosts.findReport(host.ascii);
  if (!stored) throw new Error('a finished look leaves a report');
  return stored;
}
