import { parseUrl, visible, type CellStatus } from '@app/detectors';
import {
  changeWord,
  shortName,
  utc,
  utcDate,
  type ChangeSummary,
  type HostReport,
  type PaymentRail,
} from '@app/reports';
import { html, quoted, type Html } from '../../http/html';
import type { PriceStep } from '../../reports/words/price-steps';
import { legend, moment } from '../../reports/words/marks';

/** Sizes in units of the view box; the drawing scales to the width of the page. */
const WIDTH = 720;
const LEFT = 92;
const RIGHT = 16;
const LANE = 24;
const TOP = 8;
const AXIS = 30;
const TICKS = 4;
const DAY_MS = 86_400_000;
/** Further payment options are only in the list of ways to pay. */
const MAX_RAILS = 6;
const MAX_LABEL = 13;

interface Span {
  readonly from: number;
  /** The time of the oldest change. */
  readonly known: number;
  readonly to: number;
}

/** The last changes, newest first, as a timeline and as a list. */
export function changeHistory(
  report: HostReport,
  changes: readonly ChangeSummary[],
  prices: readonly PriceStep[] = [],
): Html {
  if (changes.length === 0) {
    return html`<p class="soft">No changes since the first probe.</p>`;
  }
  return html`${timeline(report, changes, prices)} ${legend(lineSample)}
    <ol class="changes" reversed>
      ${changes.map(
        ({ id, at, protocol, kind, summary }) =>
          html`<li id="change-${id}" tabindex="-1">
            <p>${moment(at)} <a href="#${protocol}">${shortName(protocol)}</a> <b>${changeWord(kind)}</b></p>
            <p>${quoted(summary, 400)}</p>
          </li>`,
      )}
    </ol>`;
}

/**
 * One lane per protocol, with its status over time and a dot for each change that links to its text. Below, one lane per
 * payment option with its price.
 */
export function timeline(
  report: HostReport,
  changes: readonly ChangeSummary[],
  prices: readonly PriceStep[] = [],
): Html {
  const lanes = [...new Set([...report.protocols.map(({ id }) => id), ...changes.map(({ protocol }) => protocol)])];
  const rails = report.paymentRails.rails.slice(0, MAX_RAILS);
  const span = spanOf(changes, report.probedAt);
  const yOf = (index: number): number => TOP + (index + 0.5) * LANE;
  const bottom = TOP + (lanes.length + rails.length) * LANE;
  return html`<div class="timeline" tabindex="0" role="region" aria-label="Timeline of changes">
    <svg viewBox="0 0 ${WIDTH} ${bottom + AXIS}" role="group" aria-label="Changes, one lane per protocol">
      ${ticks(span, bottom)}
      ${lanes.map((protocol, index) => {
        const own = changes.filter((change) => change.protocol === protocol).toReversed();
        return lane(protocol, yOf(index), own, span, report.protocols.find(({ id }) => id === protocol)?.status);
      })}
      ${rails.map((rail, index) => priceLane(rail, yOf(lanes.length + index), prices, span))}
    </svg>
  </div>`;
}

/** The price of a payment option over time, as far as the changes tell. */
function priceLane(
  { resource, network, amountUsd }: PaymentRail,
  y: number,
  prices: readonly PriceStep[],
  span: Span,
): Html {
  const steps = prices
    .filter((step) => step.resource === resource && step.network === network)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const bounds = [LEFT, ...steps.map(({ at }) => xOf(Date.parse(at), span)), WIDTH - RIGHT];
  const costs = [undefined, ...steps.map((step) => step.amountUsd)];
  costs[steps.length] = amountUsd;
  return html`<text class="lane price" x="0" y="${y + 4}">
      <title>${resource}</title>
      ${visible(parseUrl(resource)?.pathname ?? resource, MAX_LABEL)}
    </text>
    ${costs.map((cost, index) => {
      const [from = LEFT, to = WIDTH] = bounds.slice(index);
      return html`<line class="stretch price" x1="${from}" x2="${to}" y1="${y + 6}" y2="${y + 6}" />
        <text class="cost" x="${from + 4}" y="${y + 2}">${costWords(cost)}</text>`;
    })}`;
}

function costWords(amountUsd: string | null | undefined): string {
  if (amountUsd === undefined) return '';
  return amountUsd === null ? 'unknown price' : `${amountUsd} USD`;
}

/** A piece of a lane, for the legend. */
function lineSample(status: CellStatus): Html {
  return html`<svg class="sample ${status}" viewBox="0 0 24 8" aria-hidden="true">
    <line class="stretch ${status}" x1="2" x2="22" y1="4" y2="4" />
  </svg>`;
}

/** From shortly before the oldest change to the last probe. It is never empty, to avoid a division by zero. */
function spanOf(changes: readonly ChangeSummary[], probedAt: string | undefined): Span {
  const times = [...changes.map(({ at }) => at), ...(probedAt === undefined ? [] : [probedAt])]
    .map((at) => Date.parse(at))
    .filter((at) => !Number.isNaN(at));
  const first = Math.min(...times);
  const last = Math.max(...times);
  const margin = Math.max((last - first) * 0.06, 60_000);
  return { from: first - margin, known: first, to: last + margin };
}

function xOf(at: number, { from, to }: Span): number {
  const share = Number.isNaN(at) ? 1 : (at - from) / (to - from);
  return round(LEFT + share * (WIDTH - LEFT - RIGHT));
}

function ticks(span: Span, bottom: number): readonly Html[] {
  const step = (span.to - span.from) / TICKS;
  return Array.from({ length: TICKS + 1 }, (_, index) => {
    const at = span.from + index * step;
    const x = xOf(at, span);
    const anchor = index === 0 ? 'start' : index === TICKS ? 'end' : 'middle';
    return html`<line class="tick" x1="${x}" x2="${x}" y1="${TOP}" y2="${bottom + 4}" />
      <text class="when" x="${x}" y="${bottom + 20}" text-anchor="${anchor}">${tickText(at, step)}</text>`;
  });
}

function tickText(at: number, stepMs: number): string {
  const iso = new Date(at).toISOString();
  return stepMs >= DAY_MS ? utcDate(iso) : iso.slice(5, 16).replace('T', ' ');
}

/** The statuses between the changes, oldest first, derived from the kinds of change; the last one is the current status. */
function lane(
  protocol: string,
  y: number,
  changes: readonly ChangeSummary[],
  span: Span,
  today: CellStatus | undefined,
): Html {
  const first = changes[0];
  // The status of a protocol without changes is known only since the oldest change.
  const begin = first === undefined ? xOf(span.known, span) : LEFT;
  const bounds = [begin, ...changes.map(({ at }) => xOf(Date.parse(at), span)), WIDTH - RIGHT];
  const states = [first && before(first.kind), ...changes.map(({ kind }) => after(kind))];
  states[changes.length] = today;
  return html`<text class="lane" x="0" y="${y + 4}">${shortName(protocol)}</text> ${states.map(
      (state, index) =>
        html`<line
          class="stretch ${state ?? states[index - 1]}"
          x1="${bounds[index]}"
          x2="${bounds[index + 1]}"
          y1="${y}"
          y2="${y}"
        />`,
    )}
    ${changes.map((change) => dot(change, xOf(Date.parse(change.at), span), y))}`;
}

function before(kind: string): CellStatus {
  if (kind === 'appeared') return 'absent';
  return kind === 'recovered' ? 'partial' : 'present';
}

function after(kind: string): CellStatus {
  if (kind === 'vanished') return 'absent';
  return kind === 'degraded' ? 'partial' : 'present';
}

/** A larger invisible circle makes the small dot easy to click. */
function dot({ id, at, protocol, kind }: ChangeSummary, x: number, y: number): Html {
  const label = `${shortName(protocol)} ${changeWord(kind)}, ${utc(at)}`;
  return html`<a href="#change-${id}" aria-label="${label}">
    <title>${label}</title>
    <circle class="hit" cx="${x}" cy="${y}" r="13" />
    <circle class="dot ${kind}" cx="${x}" cy="${y}" r="6" />
  </a>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
