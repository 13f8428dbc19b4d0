import type { CacheState, HostFacts, RefreshOffer } from './host-report';

/** The stored text of the facts. Kept as text from here on: a read appends to it and never parses it. */
export function renderFacts(facts: HostFacts): string {
  return JSON.stringify(facts);
}

/**
 * The report as served (spec 2.1): the stored facts with `cache` and `refresh` behind them. `factsText` is the output
 * of `renderFacts`, an object with at least one member; the result equals serialising the whole report at once.
 */
export function renderReport(factsText: string, cache: CacheState, refresh: RefreshOffer): string {
  return `${factsText.slice(0, -1)}${renderReportEnd(cache, refresh, false)}`;
}

/** What follows the stored facts, whose closing brace it replaces. */
export function renderReportEnd(cache: CacheState, refresh: RefreshOffer, optedOut: boolean): string {
  const mark = optedOut ? ',"optedOut":true' : '';
  return `${mark},"cache":${JSON.stringify(cache)},"refresh":${JSON.stringify(refresh)}}`;
}
