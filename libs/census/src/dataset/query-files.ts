import { OUTCOMES, TABLES } from './tables';
import { FIGURES } from '../figures/figures';

/**
 * Statements by which DuckDB sees the tables of a day, and as `earlier_` those of the release before, in a folder that has one release
 * or several.
 */
function tablesOf(day: string): string {
  return [...TABLES, OUTCOMES]
    .map(({ name }) => {
      const all = `SELECT * FROM read_parquet('${name}/day=*/*.parquet', hive_partitioning = true, hive_types_autocast = false)`;
      return `CREATE OR REPLACE VIEW ${name} AS ${all} WHERE day = '${day}';
CREATE OR REPLACE VIEW earlier_${name} AS ${all} WHERE day = (SELECT max(day) FROM (${all}) WHERE day < '${day}');
`;
    })
    .join('');
}

/** Files of a release by their paths: what makes its tables known to DuckDB, and the query of each figure. */
export function queryFiles(day: string): Readonly<Record<string, string>> {
  const queries = FIGURES.map(({ id, title, definition, denominator, means = {}, sql }) => {
    const rows = Object.entries(means).map(([name, said]) => `${name}: ${said}`);
    const words = [title, `Counts: ${definition}`, `Over: ${denominator}`, ...rows]
      .map((line) => `-- ${line}\n`)
      .join('');
    return [`figures/${id}.sql`, `${words}${sql};\n`] as const;
  });
  return { 'figures/tables.sql': tablesOf(day), ...Object.fromEntries(queries) };
}
