import { createHash } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { dataCard, type ReleaseFacts } from './data-card';
import { TableFile } from './table-file';
import { OUTCOMES, outcomeOf, TABLES, type ProbedHost } from './tables';
import { FIGURES } from '../figures/figures';

/** The written files. */
export interface Release {
  readonly hosts: number;
  /** Relative paths. */
  readonly files: readonly string[];
}

/**
 * Writes a day of a census as a folder: a Parquet file for each table, below `day=`, the data card `README.md`, the
 * figures with their queries, and `SHA256SUMS` over everything. It holds a few thousand rows at a time.
 */
export async function writeDataset(
  folder: string,
  hosts: AsyncIterable<ProbedHost>,
  facts: ReleaseFacts,
  figures: CountedFigures,
): Promise<Release> {
  const fileOf = (name: string): string => `${name}/day=${facts.day}/part-0.parquet`;
  const files = await Promise.all(
    TABLES.map(async (table) => ({
      table,
      file: await TableFile.open(join(folder, fileOf(table.name)), table.columns),
    })),
  );
  const counts = new Map<string, number>();
  const seen = { first: undefined as Date | undefined, last: undefined as Date | undefined, lists: new Set<string>() };
  for await (const host of hosts) {
    for (const { table, file } of files) await file.add(table.rows(host));
    counts.set(host.outcome, (counts.get(host.outcome) ?? 0) + 1);
    seen.lists.add(host.list);
    if (!seen.first || host.probedAt < seen.first) seen.first = host.probedAt;
    if (!seen.last || host.probedAt > seen.last) seen.last = host.probedAt;
  }
  for (const { file } of files) await file.close();
  const outcomes = await TableFile.open(join(folder, fileOf(OUTCOMES.name)), OUTCOMES.columns);
  const rows = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([outcome, count]) => {
      const { kind, reason } = outcomeOf(outcome);
      return [kind, reason, count];
    });
  await outcomes.add(rows);
  await outcomes.close();
  writeFileSync(join(folder, 'README.md'), dataCard({ ...facts, ...seen, counts }));
  writeFileSync(join(folder, 'figures.json'), figuresFile(facts.day, figures));
  const written = [...[...TABLES, OUTCOMES].map(({ name }) => fileOf(name)), 'figures.json', 'README.md'];
  const sums = await Promise.all(written.map(async (path) => `${await sha256Of(join(folder, path))}  ${path}\n`));
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return { hosts: [...counts.values()].reduce((sum, count) => sum + count, 0), files: [...written, 'SHA256SUMS'] };
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** The counts of a day: the day that changes are compared with, and the rows of each figure by its id. */
interface CountedFigures {
  readonly before: string | null;
  readonly rows: Readonly<
    Record<string, readonly { readonly name: string; readonly hosts: number; readonly total: number }[]>
  >;
}

/**
 * `figures.json` of a release: each figure with its definition and denominator, its query over the tables, and its
 * rows.
 */
function figuresFile(day: string, { before, rows }: CountedFigures): string {
  const figures = FIGURES.map(({ id, title, definition, denominator, means, sql }) => ({
    ...{ id, title, definition, denominator, means, query: sql },
    rows: rows[id] ?? [],
  }));
  return `${JSON.stringify({ day, before, figures }, null, 2)}\n`;
}
