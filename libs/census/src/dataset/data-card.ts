import { OUTCOMES, TABLES } from './tables';

/** What a release says of itself beside its rows. */
export interface ReleaseFacts {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Version of the program. */
  readonly version: string;
  /** Who made the requests: the user agent. */
  readonly vantage: string;
  /** Hosts that opted out since they were probed; they are not among the rows. */
  readonly optedOut: () => number;
}

interface CardFacts extends ReleaseFacts {
  readonly first: Date | undefined;
  readonly last: Date | undefined;
  readonly lists: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
}

/** What readers of a release must know: what is in it, when and from where it was probed, what is left out, and what is wrong. */
export function dataCard({ day, version, vantage, optedOut, first, last, lists, counts }: CardFacts): string {
  const hosts = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const tables = [...TABLES, OUTCOMES].map(
    ({ name, means, columns }) =>
      `### ${name}\n\n${means}\n\n${columns.map((column) => `- \`${column.name}\` (${column.type}): ${column.means}`).join('\n')}\n`,
  );
  return `# Census of ${day}

- Hosts: ${hosts}, from ${[...lists].sort().join(', ') || 'no list'}
- Probed: ${first?.toISOString() ?? '-'} to ${last?.toISOString() ?? '-'}
- From where: one vantage; requests carried the user agent \`${vantage}\`
- Made by: hostprobe ${version}
- Left out: ${optedOut()} hosts that opted out since they were probed. Names of lists that had opted out before were never probed.
- Licence: that of the operator who publishes it; this file grants none.

## Known faults

- A first pass decides for most hosts. What it does not ask for it does not see: \`probed\` tells such rows, and docs/census.md of
  the program how many of each protocol it misses. A share of hosts that publish a protocol is a lower bound.
- A host that refuses this vantage, or is slow that day, is \`blocked\` or \`unreachable\`, not without anything.
- \`catch_all\` cells are what the host says to any path: they are no publication.

## Figures

\`figures.json\` has each figure of this day: what it counts over what, the query over these tables, and its rows.

## Tables

Parquet files below \`<table>/day=${day}/\`; \`SHA256SUMS\` has the hash of each file.

${tables.join('\n')}`;
}
