import type { OptOuts } from '@app/limits';
import type { ChangeRepository } from '@app/storage';
import { type HostName } from '@app/hosts';
import { changesReport, FREE_CHANGES, PRESENCE_MAX_AGE_SEC, type ChangesReport } from '@app/reports';
import type { FreePresence, FreeProbe } from '../probing-client/free-presence';
import type { CachedReport, ServedReport } from './cached-report';
import { priceSteps } from './words/price-steps';
import type { ReportCache } from './report-cache';
import type { ReportOffers } from './report-offers';
import type { HostReading } from './host-reading';

/** A page of the history, after the event `cursor` if given. */
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
   * Like {@link cached}, but starts a free probe of the published files if the host was not probed for a day. The probe
   * runs in the background; `waitMs` lets a first lookup wait for it. A host that did not want its probe is asked again
   * after a day, or for a caller that waits.
   */
  async lookup(host: HostName, caller: string, waitMs: number): Promise<ServedReport> {
    const { presence, cache } = this;
    const served = this.serve(host.ascii, await cache.get(host));
    if (!presence || !served.presenceStale || (waitMs <= 0 && wasSkippedToday(served))) return served;
    const probe = presence.offer(host, caller, waitMs);
    if (waitMs <= 0) return served;
    await probe;
    return this.cached(host);
  }

  /**
   * A free probe from the probe button, counted against the limits of `caller`; null when free probes are disabled.
   */
  probe(host: HostName, caller: string): FreeProbe | null {
    return this.presence?.start(host, caller, true) ?? null;
  }

  /** The stored report with its current flags; empty for a host that was never probed. Free. */
  async cached(host: HostName): Promise<ServedReport> {
    return this.serve(host.ascii, await this.cache.get(host));
  }

  /** The cached report; read from storage if it is missing or does not have the given hash. */
  stored(host: HostName, sha256?: string): Promise<CachedReport> {
    return sha256 === undefined ? this.cache.get(host) : this.cache.holding(host, sha256);
  }

  /** {@link ReportCache.assertStorageAnswers} */
  assertStorageAnswers(): void {
    this.cache.assertStorageAnswers();
  }

  /** The cached report, if any. @param name host name as the caller wrote it */
  peek(name: string): CachedReport | undefined {
    return this.cache.peek(name);
  }

  /** The stored report, unless a lookup would start a free probe. */
  async withoutProbe(host: HostName): Promise<ServedReport | undefined> {
    return this.unlessProbeIsDue(await this.cached(host));
  }

  /** {@link withoutProbe} for a host whose report is cached. */
  inMemory(name: string): ServedReport | undefined {
    const report = this.peek(name);
    return report && this.unlessProbeIsDue(this.serve(name, report));
  }

  private unlessProbeIsDue(served: ServedReport): ServedReport | undefined {
    return served.presenceStale && this.presence && !wasSkippedToday(served) ? undefined : served;
  }

  private serve(name: string, report: CachedReport): ServedReport {
    return report.serve(Date.now(), this.optOuts.since(name) ?? false);
  }

  /** Summaries of the last changes, newest first, for everybody (behaviour 7.6). */
  async changes(host: HostName): Promise<ChangesReport> {
    return (await this.lastChanges(host)).changes;
  }

  /** {@link changes}, with the prices from their texts. */
  async lastChanges(host: HostName): Promise<Pick<HostReading, 'changes' | 'prices'>> {
    const records = await this.changeRows.latest(host.ascii, FREE_CHANGES);
    const changes = changesReport(host.ascii, records, FREE_CHANGES, false, this.offers.subscribe(host));
    return { changes, prices: priceSteps(records) };
  }

  /** A page of the full history, for a subscriber of the origin. */
  async history(host: HostName, { limit, cursor }: HistoryPage): Promise<ChangesReport> {
    // One extra row tells whether there is a next page.
    const records = await this.changeRows.latest(host.ascii, limit + 1, cursor);
    return changesReport(host.ascii, records, limit, true, this.offers.subscribe(host));
  }
}

function wasSkippedToday({ skipped }: ServedReport): boolean {
  return skipped !== undefined && Date.now() - Date.parse(skipped.at) < PRESENCE_MAX_AGE_SEC * 1_000;
}
