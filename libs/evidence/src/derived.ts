import { member, text, type ProtocolCell } from '@app/detectors';
import { canonicalJson } from '@app/reports';
import { partialBodies, rowsOf, type KeptExchanges } from './bundle';

/**
 * The cells that cannot be derived again from the bundle: their evidence is a body that is not completely included, or
 * the published exchanges give another result.
 */
export function derivedCells(
  cells: readonly ProtocolCell[],
  again: readonly ProtocolCell[],
  kept: KeptExchanges,
): readonly ProtocolCell[] {
  const partial = partialBodies(kept);
  const same = new Map(again.map((cell) => [cell.id, cell]));
  return cells.filter((cell) => restsOn(cell, partial) || !sameCell(cell, same.get(cell.id)));
}

/** Whether one of these bodies is evidence of a cell. */
export function restsOn(cell: ProtocolCell, bodies: ReadonlySet<string>): boolean {
  return rowsOf(cell).some((row) => bodies.has(text(member(row, 'sha256')) ?? ''));
}

/** Whether two cells are equal, ignoring the order of their fields. */
export function sameCell(a: ProtocolCell, b: ProtocolCell | undefined): boolean {
  return b !== undefined && canonicalJson(a) === canonicalJson(b);
}
