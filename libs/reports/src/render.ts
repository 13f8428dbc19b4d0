import type { History } from './availability';
import type { CacheState } from './cache-state';
import type { HostFacts, RefreshOffer, StoredText } from './host-report';
import type { Skipped } from './skipped';

/** The stored text of the facts. From here on it stays text: reads append to it without parsing. */
export function renderFacts(facts: HostFacts): string {
  return JSON.stringify(facts);
}

/** The parts that depend on the time, the prices and the URL of the service. */
export interface ReportEnd {
  readonly cache: CacheState;
  readonly refresh: RefreshOffer;
  readonly optedOut?: boolean;
  readonly skipped?: Skipped;
  readonly report?: StoredText;
  readonly history?: History;
}

/**
 * The served report (behaviour 3.1): the stored facts with the rest appended. `factsText` is the output of
 * `renderFacts`, an object with at least one field. The result equals serializing the whole report at once.
 */
export function renderReport(factsText: string, end: ReportEnd): string {
  return `${factsText.slice(0, -1)}${renderReportEnd(end)}`;
}

/** The text that follows the stored facts in place of their closing brace. */
export function renderReportEnd({ cache, refresh, optedOut = false, skipped, report, history }: ReportEnd): string {
  const mark = optedOut ? ',"optedOut":true' : '';
  const why = skipped ? `,"skipped":${JSON.stringify(skipped)}` : '';
  const text = report ? `,"report":${JSON.stringify(report)}` : '';
  const days = history ? `,"history":${JSON.stringify(history)}` : '';
  return `${mark}${why},"cache":${JSON.stringify(cache)},"refresh":${JSON.stringify(refresh)}${text}${days}}`;
}
