import type { Answer } from './exchange';
import type { HostEvidence } from './host-evidence';

/** The home page as the host answered it, even if other paths get the same; undefined if it could not be read. */
export function homeOf(seen: HostEvidence): Answer | undefined {
  const reading = seen.read('/');
  const home = seen.at('/');
  return home?.kind === 'answer' && home.status < 300 && reading.kind !== 'blocked' ? home : undefined;
}

/** The lines of robots.txt, empty if there is no such file; undefined if it could not be read. */
export function robotsLines(seen: HostEvidence): readonly string[] | undefined {
  const reading = seen.read('/robots.txt');
  if (reading.kind === 'text') return reading.answer.body.split(/\r\n|[\r\n]/).slice(0, MAX_LINES);
  const unseen = reading.kind === 'unasked' || reading.kind === 'blocked';
  return unseen ? undefined : [];
}

const MAX_LINES = 20_000;

/** Values of one directive of robots.txt without comments; its name is case-insensitive. */
export function directives(lines: readonly string[], name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    if (colon < 0 || line.slice(0, colon).trim().toLowerCase() !== wanted) return [];
    const value =
      line
        .slice(colon + 1)
        .split('#', 1)[0]
        ?.trim() ?? '';
    return value === '' ? [] : [value];
  });
}
