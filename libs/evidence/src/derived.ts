import { member, text, type ProtocolCell } from '@app/detectors';
import { canonicalJson } from '@app/reports';
import { partialBodies, rowsOf, type KeptExchanges } from './bundle';

/**
 * The cells that who has the bundle could not conclude again: those whose evidence is a body that is not in it as a whole,
 * and those that the exchanges as shown are judged differently for.
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

/** Whether a cell's evidence is one of these bodies. */
export function restsOn(cell: ProtocolCell, bodies: ReadonlySet<string>): boolean {
  return rowsOf(cell).some((row) => bodies.has(text(member(row, 'sha256')) ?? ''));
}

/** Whether two cells say the same, in whatever order of members. */
export function sameCell(a: ProtocolCell, b: ProtocolCell | undefined): boolean {
  return b !== undefined && canonicalJson(a) === canonicalJson(b);
}
