import { oneLine, type Paint } from './paint';
import { differs, type RejudgedHost } from './rejudge';

/** What would change about one host; empty when nothing would. */
export function rejudgeLines(host: RejudgedHost, paint: Paint): readonly string[] {
  if (!differs(host)) return [];
  const { domain, changes, newFixes, droppedFixes, payable } = host;
  return [
    paint('strong', domain),
    ...changes.map(({ protocol, before, after, details }) => {
      const verdict = before === after ? before : `${before} -> ${paint('middling', after)}`;
      return `  ${protocol.padEnd(10)} ${verdict}${details.length === 0 ? '' : `  (${oneLine(details.join(', '))})`}`;
    }),
    ...(payable ? [`  payable    ${String(payable[0])} -> ${paint('middling', String(payable[1]))}`] : []),
    ...newFixes.map((id) => `  ${paint('good', '+')} fix ${id}`),
    ...droppedFixes.map((id) => `  ${paint('bad', '-')} fix ${id}`),
  ];
}
