import type { HostName, HostReport } from '@app/reports';
import { LRUCache } from 'lru-cache';
import type { HostReportsService, ServedReport } from '../../hosts/host-reports.service';
import { cacheable, type Cacheable } from '../layout/page-response';
import { atomFeed } from '../feed/atom';
import { jsonFeed } from '../feed/json-feed';
import { reportMarkdown } from '../markdown/report-markdown';
import { hostPage } from './host-page';
import type { HostReading } from './host-reading';

/** Who opens the page of an unknown host waits this long for its first look; then the page says that one goes on. */
const FIRST_LOOK_MS = 6_000;
/** Rendered pages kept in memory; a page is some 60 kilobytes. */
const MAX_PAGES = 200;

export interface HostPagesParts {
  readonly reports: Pick<HostReportsService, 'cached' | 'lookUp' | 'changes'>;
  readonly baseUrl: string;
  readonly contact: string | null;
}

/**
 * The reports of hosts for people. A form of a report is rendered once for each state of the report, and asked for
 * beside the path of JSON readers, which never parses anything.
 */
export class HostPages {
  private readonly rendered = new LRUCache<string, Cacheable>({ max: MAX_PAGES });

  constructor(private readonly parts: HostPagesParts) {}

  /** The page of a host. Opening it counts as a look-up (contract 3), and the first one waits a little for its look. */
  async page(host: HostName, caller: string): Promise<Cacheable> {
    const { reports, baseUrl, contact } = this.parts;
    const { known } = await reports.cached(host);
    const served = await reports.lookUp(host, caller, known ? 0 : FIRST_LOOK_MS);
    return this.form('page', host, served, (reading) => hostPage({ ...reading, baseUrl, contact }));
  }

  /** The report as Markdown, as a look-up that waits `waitMs` for a first look. */
  markdown(host: HostName, caller: string, waitMs = 0): Promise<Cacheable> {
    return this.lookUp('markdown', host, caller, (reading) => reportMarkdown(reading, this.parts.baseUrl), waitMs);
  }

  atom(host: HostName, caller: string): Promise<Cacheable> {
    return this.lookUp('atom', host, caller, (reading) => atomFeed(reading, this.parts.baseUrl));
  }

  jsonFeed(host: HostName, caller: string): Promise<Cacheable> {
    return this.lookUp('json', host, caller, (reading) => jsonFeed(reading, this.parts.baseUrl));
  }

  /** The report itself, as a look-up that waits for nothing. */
  async report(host: HostName, caller: string): Promise<HostReport> {
    return JSON.parse((await this.parts.reports.lookUp(host, caller, 0)).body) as HostReport;
  }

  private async lookUp(
    form: string,
    host: HostName,
    caller: string,
    render: (reading: HostReading) => string,
    waitMs = 0,
  ): Promise<Cacheable> {
    return this.form(form, host, await this.parts.reports.lookUp(host, caller, waitMs), render);
  }

  /** A change is written together with the report it changed, so the report's tag stands for both. */
  private async form(
    form: string,
    host: HostName,
    served: ServedReport,
    render: (reading: HostReading) => string,
  ): Promise<Cacheable> {
    const key = `${form} ${host.ascii} ${served.etag}`;
    const { maxAgeSec } = served;
    const hit = this.rendered.get(key);
    if (hit) return { ...hit, maxAgeSec };
    const changes = await this.parts.reports.changes(host);
    const made = cacheable(render({ report: JSON.parse(served.body) as HostReport, changes }), maxAgeSec);
    this.rendered.set(key, made);
    return made;
  }
}
