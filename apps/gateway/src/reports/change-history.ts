import type { HostName } from '@app/hosts';
import type { ChangesReport } from '@app/reports';
import type { Credential } from '../checkout/credential';
import type { Subscribers } from '../checkout/subscribers';
import type { HistoryPage, HostReportsService } from './host-reports.service';

/**
 * Endpoint 3 for REST and MCP: the latest summaries for everybody, and pages of full events for subscribers of the
 * origin.
 */
export class ChangeHistory {
  constructor(
    private readonly reports: HostReportsService,
    private readonly subscribers: Subscribers,
  ) {}

  /** @throws {RequestError} 401 for an invalid credential */
  async read(host: HostName, credential: Credential | undefined, page: HistoryPage): Promise<ChangesReport> {
    if (!credential) return this.reports.changes(host);
    await this.subscribers.active(host, credential);
    return this.reports.history(host, page);
  }
}
