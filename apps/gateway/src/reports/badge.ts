import type { DetectorId } from '@app/detectors';
import { countOf, isClosed, presentOf, shortName, STATUS_WORDS, utcDate, type HostReport } from '@app/reports';
import { html } from '../http/html';

/** A badge shows the date of its probe, and turns gray after a day. */
const STALE_MS = 86_400_000;
const GREY = '#67645c';
const COLOURS = { good: '#17683a', middling: '#855400', bad: '#a02c20', quiet: GREY } as const;

interface Statement {
  readonly tone: keyof typeof COLOURS;
  readonly words: string;
  /** ISO 8601 time of the probe. */
  readonly at: string | undefined;
}

/** The summary of a host, or of one of its protocols, as an SVG of less than two kilobytes. */
export function badge(report: HostReport, protocol: DetectorId | undefined, now: Date): string {
  const { tone, words, at } = protocol === undefined ? hostStatement(report) : cellStatement(report, protocol);
  const stale = at === undefined || now.getTime() - Date.parse(at) > STALE_MS;
  const label = protocol === undefined ? 'hostprobe' : shortName(protocol);
  const message = at === undefined ? words : `${words} · ${utcDate(at)}`;
  return drawn(label, message, stale ? GREY : COLOURS[tone]);
}

function hostStatement(report: HostReport): Statement {
  const { probedAt: at, callabilityProbedAt, reachable, paymentRails } = report;
  if (at === undefined) return { tone: 'quiet', words: 'not probed', at };
  if (reachable === false) return { tone: 'bad', words: 'down', at };
  if (paymentRails.payable) return { tone: 'good', words: 'agents can pay', at: callabilityProbedAt };
  if (isClosed(report)) return { tone: 'bad', words: STATUS_WORDS.error, at };
  return { tone: countOf(report, 'present') === 0 ? 'quiet' : 'good', words: presentOf(report), at };
}

function cellStatement({ protocols, probedAt: at }: HostReport, protocol: DetectorId): Statement {
  const cell = protocols.find(({ id }) => id === protocol);
  if (cell === undefined || at === undefined) return { tone: 'quiet', words: 'not probed', at: undefined };
  const tone = {
    present: 'good',
    partial: 'middling',
    absent: 'quiet',
    undiscoverable: 'quiet',
    error: 'bad',
  } as const;
  return { tone: tone[cell.status], words: STATUS_WORDS[cell.status], at };
}

/** Text is stretched to calculated widths, because the font of the viewer is unknown. */
function drawn(label: string, message: string, colour: string): string {
  const [left, right] = [widthOf(label), widthOf(message)];
  const width = left + right;
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${width}"
    height="20"
    role="img"
    aria-label="${label}: ${message}"
  >
    <title>${label}: ${message}</title>
    <clipPath id="r"><rect width="${width}" height="20" rx="4" /></clipPath>
    <g clip-path="url(#r)">
      <rect width="${left}" height="20" fill="#1d1c1a" />
      <rect x="${left}" width="${right}" height="20" fill="${colour}" />
    </g>
    <g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
      <text x="7" y="14" textLength="${left - 14}">${label}</text>
      <text x="${left + 7}" y="14" textLength="${right - 14}">${message}</text>
    </g>
  </svg>`.markup;
}

const NARROW = /[ijlt.:· 1-]/g;

/** Verdana at 11 pixels: 7 for most letters, 4 for narrow ones, and a margin. */
function widthOf(text: string): number {
  const narrow = text.match(NARROW)?.length ?? 0;
  return Math.round(14 + (text.length - narrow) * 6.9 + narrow * 4.4);
}
