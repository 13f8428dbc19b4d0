import type { CellStatus } from '@app/detectors';
import { shortName, STATUS_WORDS, summaryOf, utcDate, type HostReport } from '@app/reports';
import { PREVIEW } from '../layout/page';
import { LARGE, linesOf, SMALL, widthOf, type Font } from './glyphs';
import { pngOf } from './png';

const [GROUND, INK, SOFT, ACCENT] = ['fbfaf7', '1d1c1a', '5f5c55', '0b5d57'] as const;
/** The text color and the background color of each status, from the style sheet. */
const TINTS = {
  present: ['17683a', 'e9f4ec'],
  partial: ['855400', 'fbf1dc'],
  absent: ['67645c', 'f4f2ed'],
  undiscoverable: ['4b5a7c', 'eef1f7'],
  error: ['a02c20', 'fbeae6'],
} as const satisfies Readonly<Record<CellStatus, readonly [string, string]>>;

/**
 * Letters are drawn in 16 shades between background and text color, so each pair of colors takes 16 palette entries.
 */
const SHADES = 16;
const PAIRS = [
  ...[INK, SOFT, ACCENT].map((color) => [color, GROUND] as const),
  ...Object.values(TINTS).flatMap(([color, behind]) => [[INK, behind] as const, [color, behind] as const]),
];
const PALETTE = PAIRS.flatMap(([color, behind]) =>
  Array.from({ length: SHADES }, (_, shade) => mixed(rgb(behind), rgb(color), shade / (SHADES - 1))),
);

const MARGIN = 60;
const INNER = PREVIEW.width - 2 * MARGIN;
const COLUMNS = 4;
const [TILE_HEIGHT, GAP] = [78, 10] as const;
const TILE_WIDTH = Math.floor((INNER - (COLUMNS - 1) * GAP) / COLUMNS);

/** The report of a host as a picture for shared links: its name, the verdict and a tile for each protocol. */
export function previewImage(report: HostReport): Buffer {
  const pixels = new Uint8Array(PREVIEW.width * PREVIEW.height).fill(indexOf(INK, GROUND));
  const { domain, probedAt, protocols } = report;
  draw(pixels, SMALL, 'hostprobe', [MARGIN, 40], indexOf(ACCENT, GROUND));
  const day = probedAt === undefined ? '' : `checked ${utcDate(probedAt)}`;
  draw(pixels, SMALL, day, [PREVIEW.width - MARGIN - widthOf(SMALL, day), 40], indexOf(SOFT, GROUND));
  const font = widthOf(LARGE, domain) <= INNER ? LARGE : SMALL;
  draw(pixels, font, domain, [MARGIN, 92], indexOf(INK, GROUND));
  for (const [at, line] of linesOf(SMALL, summaryOf(report).headline, INNER).slice(0, 3).entries()) {
    draw(pixels, SMALL, line, [MARGIN, 190 + at * 40], indexOf(INK, GROUND));
  }
  for (const [at, { id, status }] of protocols.entries()) {
    const [color, behind] = TINTS[status];
    const [x, y] = [MARGIN + (at % COLUMNS) * (TILE_WIDTH + GAP), 336 + Math.floor(at / COLUMNS) * (TILE_HEIGHT + GAP)];
    for (let row = y; row < y + TILE_HEIGHT; row += 1) {
      pixels.fill(indexOf(INK, behind), row * PREVIEW.width + x, row * PREVIEW.width + x + TILE_WIDTH);
    }
    draw(pixels, SMALL, shortName(id), [x + 14, y + 7], indexOf(INK, behind));
    draw(pixels, SMALL, STATUS_WORDS[status], [x + 14, y + 39], indexOf(color, behind));
  }
  return pngOf({ ...PREVIEW, palette: PALETTE, pixels });
}

/** The first of the shades between two colors. */
function indexOf(color: string, behind: string): number {
  return PAIRS.findIndex((pair) => pair[0] === color && pair[1] === behind) * SHADES;
}

/** Draws a text from left to right, and cuts it off at the right margin. */
function draw(
  pixels: Uint8Array,
  font: Font,
  text: string,
  [left, top]: readonly [number, number],
  ramp: number,
): void {
  let x = left;
  for (const letter of text) {
    const { at, width } = font.letters.get(letter) ?? { at: 0, width: 0 };
    if (x + width > PREVIEW.width - MARGIN) return;
    for (let row = 0; row < font.height; row += 1) {
      for (let column = 0; column < width; column += 1) {
        const shade = font.shades[row * font.stripWidth + at + column] ?? 0;
        if (shade > 0) pixels[(top + row) * PREVIEW.width + x + column] = ramp + shade;
      }
    }
    x += width;
  }
}

function rgb(color: string): readonly number[] {
  return [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

function mixed(from: readonly number[], to: readonly number[], share: number): readonly [number, number, number] {
  const [red = 0, green = 0, blue = 0] = from.map((value, at) => Math.round(value + ((to[at] ?? 0) - value) * share));
  return [red, green, blue];
}
