import type { DetectorId } from '@app/detectors';
import type { Offer } from '@app/payments';
import type { HostName } from '@app/reports';
import { hostArgument, memberOf, protocolArgument } from '../http/arguments';
import type { PaidOperation } from '../paywall/paid-operation';
import type { Job } from '../paywall/paywall.service';
import type { ProbeClient } from '../probes/probe-client';
import type { HostReportsService } from './host-reports.service';
import { hostLook, protocolLook } from './looks';
import { hostRefresh, protocolRefresh } from './refresh-offer';

export interface RefreshParts {
  readonly reports: HostReportsService;
  readonly probes: ProbeClient;
  readonly baseUrl: string;
}

export interface HostRefreshArgs {
  readonly host: HostName;
  /** Bought on the report's own URL (`?refresh=1`, spec 4.1). */
  readonly viaReport?: boolean;
}

/** Endpoint 2: a live look at a whole host. */
export class HostRefresh implements PaidOperation<HostRefreshArgs> {
  constructor(private readonly parts: RefreshParts) {}

  parse(raw: unknown): HostRefreshArgs {
    return { host: hostArgument(memberOf(raw, 'domain')) };
  }

  offer({ host, viaReport }: HostRefreshArgs): Offer {
    return hostRefresh(this.parts.baseUrl, host, viaReport);
  }

  job({ host }: HostRefreshArgs): Job {
    const { probes, reports } = this.parts;
    return { admit: () => probes.admit([hostLook(host)]), work: () => reports.refresh(host) };
  }

  origin({ host }: HostRefreshArgs): HostName {
    return host;
  }
}

export interface ProtocolRefreshArgs {
  readonly host: HostName;
  readonly protocol: DetectorId;
}

/** Endpoint 4: a live look at one protocol of a host. */
export class ProtocolRefresh implements PaidOperation<ProtocolRefreshArgs> {
  constructor(private readonly parts: RefreshParts) {}

  parse(raw: unknown): ProtocolRefreshArgs {
    return { host: hostArgument(memberOf(raw, 'domain')), protocol: protocolArgument(memberOf(raw, 'protocol')) };
  }

  offer({ host, protocol }: ProtocolRefreshArgs): Offer {
    return protocolRefresh(this.parts.baseUrl, host, protocol);
  }

  job({ host, protocol }: ProtocolRefreshArgs): Job {
    const { probes, reports } = this.parts;
    return {
      admit: () => probes.admit([protocolLook(host, protocol)]),
      work: () => reports.refreshProtocol(host, protocol),
    };
  }

  origin({ host }: ProtocolRefreshArgs): HostName {
    return host;
  }
}
