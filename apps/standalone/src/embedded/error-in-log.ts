import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from './private-file';

/** How many bytes to read from the end of a log, and how much of an error to show. */
const TAIL = 65_536;
const SHOWN = 400;

const NAMES_ERROR = /Error\b|\b(?:ERROR|FATAL|PANIC|panicked)\b|could not|cannot/;
/** JSON events, stack frames and lines that Node.js adds, which do not explain why a process ended. */
const SAYS_NOTHING = /^(?:\{|\s|\^|$|Node\.js v|\(node:|\(Use `node)/;

/**
 * Why a program ended, from its log: the last line that names an error, or else the last line of text. Empty if
 * there is none.
 * @param from where the log of this run begins, in bytes
 */
export function errorInLog(logFile: string, from = 0): string {
  const lines = tailOf(logFile, from)
    .split('\n')
    .filter((line) => !SAYS_NOTHING.test(line));
  return (lines.findLast((line) => NAMES_ERROR.test(line)) ?? lines.at(-1) ?? '').slice(0, SHOWN);
}

function tailOf(logFile: string, from: number): string {
  let file: number;
  try {
    file = openSync(logFile, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    const start = Math.max(from, size - TAIL);
    const bytes = Buffer.alloc(Math.max(0, size - start));
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, start));
    return start === from ? text : text.slice(text.indexOf('\n') + 1); // the first line may be incomplete
  } finally {
    closeSync(file);
  }
}
