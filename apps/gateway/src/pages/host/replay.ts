import { member, text, type JsonValue } from '@app/detectors';

/**
 * The request behind a piece of evidence as a shell command; undefined if the evidence has only a part of it.
 * Everything from the host is in single quotes, in which a POSIX shell expands nothing.
 */
export function replayLine(evidence: JsonValue): string | undefined {
  const method = text(member(evidence, 'method'));
  const url = text(member(evidence, 'url'));
  const body = text(member(evidence, 'requestBody'));
  if (method === undefined || url === undefined || !/^https?:\/\//.test(url)) return undefined;
  if (url.endsWith('…') || body?.endsWith('…')) return undefined;
  return [
    'curl -sSi',
    ...(member(evidence, 'redirects') === undefined ? [] : ['-L']),
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...(method === 'GET' ? [] : ['-X POST']),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `--data-raw ${inQuotes(body)}`]),
    inQuotes(url),
  ].join(' ');
}

function inQuotes(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
