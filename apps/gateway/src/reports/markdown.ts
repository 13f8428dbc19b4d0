import { visible } from '@app/detectors';

/**
 * Escapes text for one line of Markdown: no emphasis, links, code, HTML or tables, no URL that a renderer would link
 * automatically, and no list or heading at its start (CommonMark 2.4, GitHub Flavored Markdown 6.9).
 */
export function plain(text: string, max = 300): string {
  return oneLine(text, max)
    .replace(/[\\`*_[\]<>&~|$:@]/g, '\\$&')
    .replace(/^[#+=-]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')
    .replace(/www\./gi, (found) => `${found.slice(0, -1)}\\.`);
}

/**
 * A code span whose fence is longer than any run of backticks in it (CommonMark 6.1). Its content is not interpreted.
 */
export function code(text: string, max = 300): string {
  const line = oneLine(text, max);
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = /^`|`$|^$/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A fenced block that its content cannot close (CommonMark 4.5). */
export function block(text: string): string {
  const content = visible(text, 4_000);
  const fence = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${fence}text\n${content}\n${fence}`;
}

function oneLine(text: string, max: number): string {
  return visible(text, max).replace(/\s+/g, ' ').trim();
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
