import { styleText } from 'node:util';
import { visible } from '@app/detectors';

/** Styles of the screen, named by what they say. */
export type Tone = 'good' | 'middling' | 'bad' | 'quiet' | 'strong';
export type Paint = (tone: Tone, text: string) => string;

const STYLES = { good: 'green', middling: 'yellow', bad: 'red', quiet: 'dim', strong: 'bold' } as const;

/** Colours on a terminal; plain text in a pipe, a file, or where the reader set `NO_COLOR` (https://no-color.org). */
export function paintFor(stream: { readonly isTTY?: boolean }, noColor: string | undefined): Paint {
  const colourful = stream.isTTY === true && !noColor;
  return (tone, text) => (colourful ? styleText(STYLES[tone], text, { validateStream: false }) : text);
}

// Reports quote strangers. Their control characters would steer the terminal; the remains of an escape sequence are
// dropped as well, so that nothing looks like one.
const ESCAPE_REMAINS = /\[\??\d{1,3}(?:;\d{1,3}){0,8}[A-HJKSTfhlmnsu]/g;

/** Longest quotation on a screen: advice is a few thousand characters, anything else far less. */
const MAX_QUOTE = 4_000;
const MAX_LINE = 600;

/** Text that neither steers a terminal nor turns its line around; its lines and indents stay. */
export function harmless(text: string, max = MAX_QUOTE): string {
  return visible(text, max).replace(ESCAPE_REMAINS, '');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return harmless(text, MAX_LINE).replace(/\s+/g, ' ').trim();
}
