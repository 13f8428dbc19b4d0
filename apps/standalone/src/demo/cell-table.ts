/** One protocol of a report, as far as the screen shows it. */
export interface ShownCell {
  readonly id: string;
  readonly status: string;
  readonly version: string;
  readonly remark: string;
}

/** Reads the protocol cells out of a report (behaviour 4.1); what is not one is left out. */
export function readCells(report: unknown): readonly ShownCell[] {
  const cells = property(report, 'protocols');
  if (!Array.isArray(cells)) return [];
  return cells.map((cell: unknown) => {
    const details = property(cell, 'details');
    return {
      id: word(property(cell, 'id')),
      status: word(property(cell, 'status')),
      version: word(property(cell, 'version')),
      remark: word(property(details, 'name') ?? property(details, 'reason') ?? property(details, 'note')),
    };
  });
}

export function cellTable(cells: readonly ShownCell[]): string {
  return cells
    .map(({ id, status, version, remark }) =>
      `  ${id.padEnd(12)} ${status.padEnd(15)} ${version.padEnd(12)} ${remark}`.trimEnd(),
    )
    .join('\n');
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
