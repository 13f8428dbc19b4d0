import type { Config } from '@app/config';
import { defined } from '@app/platform';
import type { HostRepository } from '@app/storage';
import { type HostName } from '@app/hosts';
import { readReport, type HostReport } from '@app/reports';
import { LRUCache } from 'lru-cache';
import { contentTag } from '../http/entity-tag';
import type { Published } from '../http/published';
import { RequestError } from '../http/request-error';
import type { FreeProbe } from '../probing-client/free-presence';
import type { ServedReport } from './cached-report';
import { atomFeed, jsonFeed } from './feeds';
import type { HostReportsService } from './host-reports.service';
import { MARKDOWN_HEADERS, reportMarkdown } from './report-markdown';
import type { HostReading } from './host-reading';

/** A page with a probe button must be revalidated after the probe. */
const UNTIL_PROBED = 'no-cache';
/** The maximum number of rendered forms in memory; a page has about 60 kilobytes. */
const MAX_RENDERED = 200;

/** A form of a report, such as a page, Markdown, a feed or a picture. */
export interface ReportForm {
  /** A unique name. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the form is the report itself, which a statement describes. */
  readonly isReport: boolean;
  readonly render: (
    reading: HostReading,
    config: Pick<Config, 'http' | 'identity' | 'freePresenceProbe'>,
  ) => string | Buffer;
}

export const MARKDOWN: ReportForm = {
  name: 'markdown',
  headers: MARKDOWN_HEADERS,
  isReport: true,
  render: (reading, { http }) => reportMarkdown(reading, http.publicBaseUrl),
};
export const ATOM: ReportForm = {
  name: 'atom',
  headers: { 'content-type': 'application/atom+xml; charset=utf-8' },
  isReport: false,
  render: (reading, { http }) => atomFeed(reading, http.publicBaseUrl),
};
export const JSON_FEED: ReportForm = {
  name: 'jsonFeed',
  headers: { 'content-type': 'application/feed+json; charset=utf-8' },
  isReport: false,
  render: (reading, { http }) => jsonFeed(reading, http.publicBaseUrl),
};

/**
 * The reports of hosts in their readable forms. Each form is rendered once per state of a report, and does not slow
 * down readers of JSON, whose path never parses a report.
 */
export class ReportForms {
  private readonly rendered = new LRUCache<string, Published>({ max: MAX_RENDERED });

  constructor(
    private readonly reports: HostReportsService,
    private readonly config: Config,
    private readonly hosts: Pick<HostRepository, 'unlist'>,
  ) {}

  /** Renders the stored report, or one that was just looked up. Opening a page or a badge never starts a probe. */
  async inForm(form: ReportForm, host: HostName, lookedUp?: ServedReport): Promise<Published> {
    const served = lookedUp ?? (await this.reports.cached(host));
    // A change is stored together with its report, so the version and tag of the report cover both.
    const { name, headers, isReport, render } = form;
    const waits = Date.parse(served.skipped?.until ?? '') > Date.now();
    const key = `${name} ${host.ascii} ${served.version} ${served.etag} ${waits}`;
    const hit = this.rendered.get(key);
    const { ageSec, link } = served;
    const told = defined({
      age: ageSec === undefined ? undefined : String(ageSec),
      link: isReport ? link : undefined,
    });
    const cacheControl = served.presenceStale ? UNTIL_PROBED : served.cacheControl;
    if (hit) return { ...hit, headers: { ...headers, 'cache-control': cacheControl, ...told } };
    this.reports.assertStorageAnswers();
    const last = await this.reports.lastChanges(host);
    const body = render({ report: readReport(served.body.toString()), ...last, waits }, this.config);
    const made = { body, etag: contentTag(body), headers: { ...headers, 'cache-control': cacheControl } };
    this.rendered.set(key, made);
    return { ...made, headers: { ...made.headers, ...told } };
  }

  /** The stored report itself. */
  async report(host: HostName): Promise<HostReport> {
    return readReport((await this.reports.cached(host)).body.toString());
  }

  /**
   * Starts the free probe of the probe button, unless the report is up to date because another visitor pressed it first.
   * @param isListed false keeps the name out of the list of recently probed hosts
   * @returns the id of its run; undefined if there is nothing to wait for
   * @throws {RequestError} 403 `opted_out`, 429 `free_probes_used`, 503 `no_worker`
   */
  async probe(host: HostName, caller: string, isListed: boolean): Promise<string | undefined> {
    const { presenceStale, skipped } = await this.reports.cached(host);
    if (skipped?.reason === 'opted_out') throw new RequestError('opted_out');
    if (!presenceStale) return undefined;
    const probe = this.reports.probe(host, caller);
    if (!probe) throw new RequestError('free_probes_used');
    if (!isListed) this.unlistAfter(probe, host);
    const run = probe.run.then((id) => ({ id }));
    const started = await Promise.race([run, probe.end]);
    if (typeof started === 'object') return started.id;
    if (started === 'refused') throw new RequestError('free_probes_used');
    if (started === 'failed') throw new RequestError('no_worker');
    return undefined;
  }

  /** Only a probe that ran keeps its host off the list: a refused request changes nothing. */
  private unlistAfter({ end }: FreeProbe, { ascii }: HostName): void {
    void end.then((ended) => (ended === 'made' ? this.hosts.unlist(ascii) : undefined)).catch(() => undefined); // an unavailable database is logged elsewhere
  }
}
