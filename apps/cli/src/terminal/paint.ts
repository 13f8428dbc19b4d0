import { styleText } from 'node:util';
import { INVISIBLE } from '@app/detectors';

/** Styles of the screen, named by what they say. */
export type Tone = 'good' | 'middling' | 'bad' | 'quiet' | 'strong';
export type Paint = (tone: Tone, text: string) => string;

const STYLES = { good: 'green', middling: 'yellow', bad: 'red', quiet: 'dim', strong: 'bold' } as const;

/** Colours on a terminal; plain text in a pipe, a file, or where the reader set `NO_COLOR` (https://no-color.org). */
export function paintFor(stream: { readonly isTTY?: boolean }, noColor: string | undefined): Paint {
  const colourful = stream.isTTY === true && !noColor;
  return (tone, text) => (colourful ? styleText(STYLES[tone], text, { validateStream: false }) : text);
}

// Reports quote hosts, and a report that comes from a service may quote them badly: what steers a terminal, reorders
// or hides text is dropped, and with it the remains of an escape sequence, so that nothing reads as one.
const ESCAPE_REMAINS = /\[\??\d{1,3}(?:;\d{1,3}){0,8}[A-HJKSTfhlmnsu]/g;

/** Text that cannot steer a terminal; its lines and indents stay. */
export function harmless(text: string): string {
  return text.replace(INVISIBLE, '').replace(ESCAPE_REMAINS, '');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s+/g, ' ').trim();
}

/** JSON as text that a terminal shows and a parser reads unchanged: what would steer the one is escaped for the other. */
export function jsonText(value: unknown): string {
  const escaped = (found: string): string =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  return JSON.stringify(value, null, 2).replace(INVISIBLE, escaped).concat('\n');
}
