import type { DetectorId } from '@app/detectors';
import type { RunRequest } from '@app/persistence';
import type { HostName } from '@app/reports';

/** A look at everything a host publishes. */
export function hostLook(host: HostName): RunRequest {
  return { kind: 'host', domain: host.ascii };
}

/** A look at one protocol of a host. */
export function protocolLook(host: HostName, protocol: DetectorId): RunRequest {
  return { kind: 'protocol', domain: host.ascii, protocol };
}
