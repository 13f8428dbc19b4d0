import { styleText } from 'node:util';
import { INVISIBLE } from '@app/detectors';

/** Text styles, named by their meaning. */
export type Tone = 'good' | 'middling' | 'bad' | 'quiet' | 'strong';
export type Paint = (tone: Tone, text: string) => string;

const STYLES = { good: 'green', middling: 'yellow', bad: 'red', quiet: 'dim', strong: 'bold' } as const;

/** Colors on a terminal; plain text in a pipe or a file, or if the user set `NO_COLOR` (https://no-color.org). */
export function paintFor(stream: { readonly isTTY?: boolean }, noColor: string | undefined): Paint {
  const colourful = stream.isTTY === true && !noColor;
  return (tone, text) => (colourful ? styleText(STYLES[tone], text, { validateStream: false }) : text);
}

// Reports quote hosts, and a service may quote them badly. We drop characters that control a terminal or that reorder or
// hide text. We also drop the remains of escape sequences, so that no text looks like one.
const ESCAPE_REMAINS = /\[\??\d{1,3}(?:;\d{1,3}){0,8}[A-HJKSTfhlmnsu]/g;

/** Removes the characters that could control a terminal. Line breaks and indents stay. */
export function harmless(text: string): string {
  return text.replace(INVISIBLE, '').replace(ESCAPE_REMAINS, '');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s+/g, ' ').trim();
}

/** JSON for a terminal and a parser: characters that would control the terminal are escaped, which a parser undoes. */
export function jsonText(value: unknown): string {
  const escaped = (found: string): string =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  return JSON.stringify(value, null, 2).replace(INVISIBLE, escaped).concat('\n');
}
