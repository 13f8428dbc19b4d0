import { isObject, text, type ProtocolCell } from '@app/detectors';
import type { MemoryProbe } from './memory-host';

/** The rows of a report without a matching request in the host's log. */
export function unsentRows(cells: readonly ProtocolCell[], { log }: Pick<MemoryProbe, 'log'>): readonly string[] {
  const rows = cells.flatMap(({ details }) => [details['evidence'], details['decidedBy']].flat().filter(isObject));
  const asked = rows.map((row) => `${text(row['method']) ?? ''} ${text(row['url']) ?? ''}`);
  return asked.filter((line) => !log.includes(line));
}
