import type { OptOuts } from '@app/limits';
import type { ChangeRepository } from '@app/storage';
import { type HostName } from '@app/hosts';
import { changesReport, FREE_CHANGES, type ChangesReport } from '@app/reports';
import type { FreePresence, FreeProbeEnd } from '../probing-client/free-presence';
import type { CachedReport, ServedReport } from './cached-report';
import { priceSteps } from './words/price-steps';
import type { ReportCache } from './report-cache';
import type { ReportOffers } from './report-offers';
import type { HostReading } from './words/summary';

/** A page of the history, from the event after `cursor` when given. */
export interface HistoryPage {
  readonly limit: number;
  readonly cursor: bigint | undefined;
}

/** Endpoints 1 and 3: the report and history of a host. */
export class HostReportsService {
  constructor(
    private readonly cache: ReportCache,
    private readonly changeRows: ChangeRepository,
    private readonly optOuts: OptOuts,
    /** Null when free probes are disabled. */
    private readonly presence: FreePresence | null,
    private readonly offers: ReportOffers,
  ) {}

  /**
   * {@link cached}, and a free probe at what the host publishes when it was not probed for a day. The probe goes on in the
   * background; `waitMs` lets a first lookup wait for it.
   */
  async lookup(host: HostName, caller: string, waitMs: number): Promise<ServedReport> {
    const { presence, cache } = this;
    const served = this.serve(host.ascii, await cache.get(host));
    if (!presence || !served.presenceStale) return served;
    const probe = presence.offer(host, caller, waitMs);
    if (waitMs <= 0) return served;
    await probe;
    return this.cached(host);
  }

  /**
   * A free probe from the probe button, counted against the limits of `caller`; null when free probes are disabled.
   */
  async probe(host: HostName, caller: string, waitMs: number): Promise<FreeProbeEnd | null> {
    return (await this.presence?.offer(host, caller, waitMs)) ?? null;
  }

  /** The stored report with its flags as of now; a host never probed has an empty one. Free. */
  async cached(host: HostName): Promise<ServedReport> {
    return this.serve(host.ascii, await this.cache.get(host));
  }

  /** The report as it is held in memory, read when it is not there, or is not the one with this hash. */
  stored(host: HostName, sha256?: string): Promise<CachedReport> {
    return sha256 === undefined ? this.cache.get(host) : this.cache.holding(host, sha256);
  }

  /** {@link ReportCache.assertStorageAnswers} */
  assertStorageAnswers(): void {
    this.cache.assertStorageAnswers();
  }

  /** The report that is in memory. @param name of a host, as a caller wrote it */
  peek(name: string): CachedReport | undefined {
    return this.cache.peek(name);
  }

  /** The stored report, unless a lookup would start a free probe. */
  async withoutProbe(host: HostName): Promise<ServedReport | undefined> {
    return this.unlessProbeIsDue(await this.cached(host));
  }

  /** {@link withoutProbe} for the name of a host whose report is in memory. */
  inMemory(name: string): ServedReport | undefined {
    const report = this.peek(name);
    return report && this.unlessProbeIsDue(this.serve(name, report));
  }

  private unlessProbeIsDue(served: ServedReport): ServedReport | undefined {
    return served.presenceStale && this.presence ? undefined : served;
  }

  private serve(name: string, report: CachedReport): ServedReport {
    return report.serve(Date.now(), this.optOuts.covers(name));
  }

  /** Summaries of the last changes, newest first: for all readers (behaviour 7.6). */
  async changes(host: HostName): Promise<ChangesReport> {
    return (await this.lastChanges(host)).changes;
  }

  /** {@link changes}, and the prices that they name in words. */
  async lastChanges(host: HostName): Promise<Pick<HostReading, 'changes' | 'prices'>> {
    const records = await this.changeRows.latest(host.ascii, FREE_CHANGES);
    const changes = changesReport(host.ascii, records, FREE_CHANGES, false, this.offers.subscribe(host));
    return { changes, prices: priceSteps(records) };
  }

  /** A page of the full history, for a subscriber of this origin. */
  async history(host: HostName, { limit, cursor }: HistoryPage): Promise<ChangesReport> {
    // One more than is shown tells whether there is a next page.
    const records = await this.changeRows.latest(host.ascii, limit + 1, cursor);
    return changesReport(host.ascii, records, limit, true, this.offers.subscribe(host));
  }
}
