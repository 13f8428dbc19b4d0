import type { History } from '@app/reports';
import { html, type Html } from '../../http/html';
import { availabilityOf } from '../../reports/words/availability';

/** Sizes in units of the view box, as in the timeline. */
const WIDTH = 720;
const LEFT = 92;
const RIGHT = 16;
const DAY_MS = 86_400_000;
const [DAYS_Y, SHARE_Y, BOTTOM] = [20, 64, 96];

/**
 * The availability of a host as a chart: the days with their incidents, and the uptime with its confidence interval. The
 * sentence above the chart says the same.
 * @param history of at least one probe
 */
export function availabilityChart(history: History): Html {
  const { up, down, low, high } = history;
  return html`<div class="timeline" tabindex="0" role="region" aria-label="Availability chart">
    <svg viewBox="0 0 ${WIDTH} ${BOTTOM}" role="img" aria-label="${availabilityOf(history)}">
      ${days(history)} ${share(low, high, up / (up + down))}
    </svg>
  </div>`;
}

function days({ from, to, incidents }: History): Html {
  const [begin, end] = [Date.parse(from), Date.parse(to) + DAY_MS];
  const xOf = (iso: string): number => at((Date.parse(iso) - begin) / (end - begin));
  return html`<text class="lane" x="0" y="${DAYS_Y + 4}">Days</text>
    <line class="stretch present" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${DAYS_Y}" y2="${DAYS_Y}" />
    ${incidents.map(({ beginsBetween: [, down], endsBetween }) => {
      const until = endsBetween === null ? at(1) : xOf(endsBetween[1]);
      return html`<line
        class="incident"
        x1="${xOf(down)}"
        x2="${Math.max(until, xOf(down) + 2)}"
        y1="${DAYS_Y}"
        y2="${DAYS_Y}"
      />`;
    })}
    <text x="${LEFT}" y="${DAYS_Y + 20}">${from}</text>
    <text x="${WIDTH - RIGHT}" y="${DAYS_Y + 20}" text-anchor="end">${to}</text>`;
}

/** The bar is the confidence interval, the stroke in it the measured uptime. */
function share(low: number, high: number, answered: number): Html {
  return html`<text class="lane" x="0" y="${SHARE_Y + 4}">Uptime</text>
    <line class="tick" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${SHARE_Y}" y2="${SHARE_Y}" />
    <rect class="interval" x="${at(low)}" y="${SHARE_Y - 6}" width="${Math.max(at(high) - at(low), 1)}" height="12" />
    <line class="share" x1="${at(answered)}" x2="${at(answered)}" y1="${SHARE_Y - 9}" y2="${SHARE_Y + 9}" />
    <text x="${LEFT}" y="${SHARE_Y + 24}">0 %</text>
    <text x="${WIDTH - RIGHT}" y="${SHARE_Y + 24}" text-anchor="end">100 %</text>`;
}

/** The x coordinate of a part of the width, clamped to the chart. */
function at(part: number): number {
  const within = Math.min(1, Math.max(0, part));
  return Math.round((LEFT + within * (WIDTH - LEFT - RIGHT)) * 10) / 10;
}
