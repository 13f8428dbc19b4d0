import { visible } from '@app/detectors';

/** Text on one line in which no character is Markdown (CommonMark 2.4: any ASCII punctuation may be escaped). */
export function plain(text: string, max = 300): string {
  return oneLine(text, max).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** A code span whose fence is longer than any run of backticks within (CommonMark 6.1). Nothing in it is read. */
export function code(text: string, max = 300): string {
  const line = oneLine(text, max);
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = /^`|`$|^$/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A fenced block that its content cannot end (CommonMark 4.5). */
export function block(text: string, max = 4_000): string {
  const content = visible(text, max);
  const fence = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${fence}text\n${content}\n${fence}`;
}

function oneLine(text: string, max: number): string {
  return visible(text, max).replace(/\s+/g, ' ').trim();
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
