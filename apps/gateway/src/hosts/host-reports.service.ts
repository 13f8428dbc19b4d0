import type { DetectorId } from '@app/detectors';
import type { OptOuts } from '@app/limits';
import type { ChangeRepository, HostRepository } from '@app/persistence';
import {
  cacheState,
  changesLimit,
  changesReport,
  FREE_CHANGES,
  renderReport,
  type ChangesReport,
  type HostName,
  type RefreshOffer,
  type SubscribeOffer,
} from '@app/reports';
import type { Work } from '../paywall/paywall.service';
import type { FreePresence } from '../probes/free-presence';
import type { ProbeClient } from '../probes/probe-client';
import { liveReport } from './live-report';
import { protocolLook } from './looks';
import { subscribeOffer, type SubscriptionTerms } from '../subscriptions/subscription-offer';
import { refreshOffer } from './refresh-offer';
import type { CachedReport, ServedReport } from './cached-report';
import type { ReportCache } from './report-cache';

/** What a subscriber asks of the history, as it came. */
export interface HistoryQuery {
  readonly limit?: unknown;
  readonly before?: unknown;
}

export interface HostReportsParts {
  readonly hosts: HostRepository;
  readonly changes: ChangeRepository;
  readonly probes: ProbeClient;
  readonly cache: ReportCache;
  readonly optOuts: OptOuts;
  /** Null when free looks are switched off. */
  readonly presence: FreePresence | null;
  readonly baseUrl: string;
  readonly network: string;
  /** Named where a subscription would show more. */
  readonly subscription: SubscriptionTerms;
}

/** Endpoints 1 to 4: what is known about a host, and live looks at it. */
export class HostReportsService {
  constructor(private readonly parts: HostReportsParts) {}

  /**
   * {@link cached}, and a free look at what the host publishes when nobody looked for a day. The look goes on in the
   * background; `waitMs` lets a first look-up wait for it.
   */
  async lookUp(host: HostName, caller: string, waitMs: number): Promise<ServedReport> {
    const { presence, cache } = this.parts;
    const served = this.serve(host.ascii, await cache.get(host));
    if (!presence || !served.presenceStale) return served;
    const look = presence.offer(host, caller, waitMs);
    if (waitMs <= 0) return served;
    await look;
    return this.cached(host);
  }

  /** The stored report with its flags as of now; a host never probed has an empty one. Free. */
  async cached(host: HostName): Promise<ServedReport> {
    return this.serve(host.ascii, await this.parts.cache.get(host));
  }

  /** The stored report, unless looking it up would start a free look. */
  async withoutLook(host: HostName): Promise<ServedReport | undefined> {
    return this.unlessLookIsDue(await this.cached(host));
  }

  /** {@link withoutLook} for the name of a host whose report is in memory. */
  inMemory(name: string): ServedReport | undefined {
    const report = this.parts.cache.peek(name);
    return report && this.unlessLookIsDue(this.serve(name, report));
  }

  private unlessLookIsDue(served: ServedReport): ServedReport | undefined {
    return served.presenceStale && this.parts.presence ? undefined : served;
  }

  private serve(name: string, report: CachedReport): ServedReport {
    return report.serve(Date.now(), this.parts.optOuts.covers(name));
  }

  /** Looks at the whole host now. @throws as `ProbeClient.run` */
  async refresh(host: HostName): Promise<Work> {
    const stored = await liveReport(this.parts, host);
    return { body: renderReport(stored.facts, cacheState(stored.clocks, new Date()), this.offer(host)), charge: true };
  }

  /** Looks at one protocol now (spec 2.7). */
  async refreshProtocol(host: HostName, protocol: DetectorId): Promise<Work> {
    const run = await this.parts.probes.run(protocolLook(host, protocol));
    return { body: JSON.stringify(run.outcome), charge: true };
  }

  /** Summaries of the last changes, newest first: what everybody sees (contract 4). */
  async changes(host: HostName): Promise<ChangesReport> {
    const records = await this.parts.changes.latest(host.ascii, FREE_CHANGES);
    return changesReport(host.ascii, records, FREE_CHANGES, false, this.subscribe(host));
  }

  /** A page of the full history, for a subscriber of this origin; `before` is the `nextBefore` of the page before. */
  async history(host: HostName, asked: HistoryQuery): Promise<ChangesReport> {
    const { limit: stated } = asked;
    const limit = changesLimit(typeof stated === 'string' || typeof stated === 'number' ? stated : undefined, true);
    // One more than is shown tells whether there is a next page.
    const records = await this.parts.changes.latest(host.ascii, limit + 1, cursorOf(asked.before));
    return changesReport(host.ascii, records, limit, true, this.subscribe(host));
  }

  private subscribe(host: HostName): SubscribeOffer {
    const { subscription, baseUrl, network } = this.parts;
    return subscribeOffer(subscription, baseUrl, host, network);
  }

  private offer(host: HostName): RefreshOffer {
    return refreshOffer(this.parts.baseUrl, host, this.parts.network);
  }
}

/** Ids have at most 18 digits; what is no id is ignored, like a limit that is no number (contract 1). */
function cursorOf(before: unknown): bigint | undefined {
  return typeof before === 'string' && /^\d{1,18}$/.test(before) ? BigInt(before) : undefined;
}
