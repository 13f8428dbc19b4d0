import { OUTCOMES, TABLES } from './tables';

/** The metadata of a release. */
export interface ReleaseFacts {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Version of hostprobe. */
  readonly version: string;
  /** The user agent of the requests. */
  readonly vantage: string;
  /** The number of hosts that opted out after they were probed; they are not in the rows. */
  readonly optedOut: () => number;
}

interface CardFacts extends ReleaseFacts {
  readonly first: Date | undefined;
  readonly last: Date | undefined;
  readonly lists: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * The information that readers of a release need: its contents, when and from where it was probed, what is left out,
 * and known problems.
 */
export function dataCard({ day, version, vantage, optedOut, first, last, lists, counts }: CardFacts): string {
  const hosts = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const tables = [...TABLES, OUTCOMES].map(
    ({ name, means, columns }) =>
      `### ${name}\n\n${means}\n\n${columns.map((column) => `- \`${column.name}\` (${column.type}): ${column.means}`).join('\n')}\n`,
  );
  return `# Census of ${day}

- Hosts: ${hosts}, from ${[...lists].sort().join(', ') || 'no list'}
- Probed: ${first?.toISOString() ?? '-'} to ${last?.toISOString() ?? '-'}
- Probed from: one network location, with the user agent \`${vantage}\`
- Produced by: hostprobe ${version}
- Left out: ${optedOut()} hosts that opted out after they were probed. Hosts on the lists that had opted out before were never probed.
- License: set by the operator who publishes the dataset; this file grants none.

## Known limitations

- Most hosts get only a first pass, which does not request everything. \`probed\` marks these rows, and docs/census.md of the
  program says how many hosts of each protocol it misses. The share of hosts that publish a protocol is a lower bound.
- A host that blocks the prober, or is slow that day, is \`blocked\` or \`unreachable\`, not \`nothing\`.
- \`catch_all\` cells come from hosts that give the same response for any path. They do not publish the protocol.

## Figures

\`figures.json\` has the figures of this day: the definition, the denominator, the query over these tables, and the rows.

## Tables

Parquet files in \`<table>/day=${day}/\`; \`SHA256SUMS\` has the hash of each file.

${tables.join('\n')}`;
}
