import type { CellStatus } from '@app/detectors';
import type { ChangeSummary, HostReport } from '@app/reports';
import { html, type Html } from '../html/html';
import { shortName } from '../protocol-names';
import { utc, utcDate } from '../times';
import { changeWord } from './change-words';

/** Sizes in units of the view box; the drawing is as wide as the page lets it be. */
const WIDTH = 720;
const LEFT = 92;
const RIGHT = 16;
const LANE = 30;
const TOP = 8;
const AXIS = 30;
const TICKS = 4;
const DAY_MS = 86_400_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** One lane per protocol that changed: what held when, and a dot for each change that leads to its words. */
export function timeline(report: HostReport, changes: readonly ChangeSummary[]): Html {
  const lanes = [...new Set(changes.map(({ protocol }) => protocol))];
  const span = spanOf(changes, report.probedAt);
  const height = TOP + lanes.length * LANE + AXIS;
  return html`<div class="timeline" tabindex="0" role="region" aria-label="Timeline of changes">
    <svg viewBox="0 0 ${WIDTH} ${height}" role="group" aria-label="Changes, one lane per protocol">
      ${ticks(span, TOP + lanes.length * LANE)}
      ${lanes.map((protocol, index) =>
        lane(
          protocol,
          TOP + (index + 0.5) * LANE,
          changes.filter((change) => change.protocol === protocol).toReversed(),
          span,
          report.protocols.find(({ id }) => id === protocol)?.status,
        ),
      )}
    </svg>
  </div>`;
}

/** From a little before the oldest change to the last look; never empty, so that nothing is divided by zero. */
function spanOf(changes: readonly ChangeSummary[], probedAt: string | undefined): Span {
  const times = [...changes.map(({ at }) => at), ...(probedAt === undefined ? [] : [probedAt])]
    .map((at) => Date.parse(at))
    .filter((at) => !Number.isNaN(at));
  const first = Math.min(...times);
  const last = Math.max(...times);
  const margin = Math.max((last - first) * 0.06, 60_000);
  return { from: first - margin, to: last + margin };
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

/** What held between the changes, oldest first, as far as their kinds tell; the last stretch is today's verdict. */
function lane(
  protocol: string,
  y: number,
  changes: readonly ChangeSummary[],
  span: Span,
  today: CellStatus | undefined,
): Html {
  const first = changes[0];
  const bounds = [LEFT, ...changes.map(({ at }) => xOf(Date.parse(at), span)), WIDTH - RIGHT];
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

/** The circle that is seen is small, the one that is hit is not. */
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
