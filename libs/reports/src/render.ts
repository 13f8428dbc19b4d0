import type { History } from './availability';
import type { CacheState } from './cache-state';
import type { HostFacts, RefreshOffer, StoredText } from './host-report';

/** The stored text of the facts. Kept as text from here on: a read appends to it and never parses it. */
export function renderFacts(facts: HostFacts): string {
  return JSON.stringify(facts);
}

/** What depends on the hour, the prices and the address of the service. */
export interface ReportEnd {
  readonly cache: CacheState;
  readonly refresh: RefreshOffer;
  readonly optedOut?: boolean;
  readonly report?: StoredText;
  readonly history?: History;
}

/**
 * The report as served (behaviour 3.1): the stored facts with the rest behind them. `factsText` is the output of
 * `renderFacts`, an object with at least one member; the result equals serialising the whole report at once.
 */
export function renderReport(factsText: string, end: ReportEnd): string {
  return `${factsText.slice(0, -1)}${renderReportEnd(end)}`;
}

/** What follows the stored facts, whose closing brace it replaces. */
export function renderReportEnd({ cache, refresh, optedOut = false, report, history }: ReportEnd): string {
  const mark = optedOut ? ',"optedOut":true' : '';
  const text = report ? `,"report":${JSON.stringify(report)}` : '';
  const days = history ? `,"history":${JSON.stringify(history)}` : '';
  return `${mark},"cache":${JSON.stringify(cache)},"refresh":${JSON.stringify(refresh)}${text}${days}}`;
}
