import { inflateRawSync } from 'node:zlib';
import { GLYPHS } from '../layout/assets';

/** The letters of one size, side by side in one strip. */
export interface Font {
  readonly height: number;
  readonly stripWidth: number;
  /** One shade for each pixel of the strip, 0 to 15. */
  readonly shades: Uint8Array;
  readonly letters: ReadonlyMap<string, { readonly at: number; readonly width: number }>;
}

interface Drawn {
  readonly letters: string;
  readonly widths: readonly number[];
  /** The number of pixels between two letters in the strip. */
  readonly gap: number;
  readonly height: number;
  /** Two pixels per byte, deflated, in base64 (scripts/glyphs.mjs). */
  readonly shades: string;
}

const { large, small } = JSON.parse(GLYPHS) as Readonly<Record<'large' | 'small', Drawn>>;

/** For host names; it has no other letters. */
export const LARGE = fontOf(large);
/** For printable ASCII. */
export const SMALL = fontOf(small);

function fontOf({ letters, widths, gap, height, shades }: Drawn): Font {
  const packed = inflateRawSync(Buffer.from(shades, 'base64'));
  let stripWidth = 0;
  const spots = widths.map((width, index) => {
    const at = stripWidth;
    stripWidth += width + gap;
    return [letters.charAt(index), { at, width }] as const;
  });
  const unpacked = Uint8Array.from({ length: packed.length * 2 }, (_, at) => {
    const pair = packed[at >> 1] ?? 0;
    return at % 2 === 0 ? pair >> 4 : pair & 15;
  });
  return { height, stripWidth, shades: unpacked, letters: new Map(spots) };
}

/** The width of a text in pixels. Letters that the font does not have are left out. */
export function widthOf(font: Font, text: string): number {
  return Array.from(text).reduce((sum, letter) => sum + (font.letters.get(letter)?.width ?? 0), 0);
}

/** Wraps a text between words, into lines of at most `width` pixels. */
export function linesOf(font: Font, text: string, width: number): readonly string[] {
  return text.split(' ').reduce<readonly string[]>((lines, word) => {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    return lines.length > 0 && widthOf(font, longer) <= width ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, []);
}
