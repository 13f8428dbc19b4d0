import { isObject, text, type ProtocolCell } from '@app/detectors';
import type { MemoryProbe } from './memory-host';

/** The rows of a report that no request in the host's log stands behind. */
export function unsentRows(cells: readonly ProtocolCell[], { log }: Pick<MemoryProbe, 'log'>): readonly string[] {
  const rows = cells.flatMap(({ details }) => [details['evidence'], details['decidedBy']].flat().filter(isObject));
  const asked = rows.map((row) => `${text(row['method']) ?? ''} ${text(row['url']) ?? ''}`);
  return asked.filter((line) => !log.includes(line));
}
