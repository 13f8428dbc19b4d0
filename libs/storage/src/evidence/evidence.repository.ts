import type { Exchange } from '@app/detectors';
import { exchangesOf, Line, type StoredBody } from '@app/evidence';
import type { Database } from '../database/database';
import { withBytes } from './evidence-objects';
import { openBodies, openLines } from './stored-bundle';

/** A bundle as it is stored. */
export interface StoredBundle {
  readonly lines: readonly string[];
  /** Hashes that the lines name, in their order. */
  readonly names: readonly string[];
  /** Those that are there. */
  readonly bodies: ReadonlyMap<string, StoredBody>;
  /** Why all bodies were removed. */
  readonly withheld: 'opt_out' | 'legal' | null;
}

interface EvidenceRow {
  readonly root: string;
  /** Of its lines. */
  readonly bytes: Buffer;
  readonly object: string | null;
  readonly bodies: readonly string[];
  readonly withheld: StoredBundle['withheld'];
  readonly at: Date;
}

interface BodyRow extends Pick<EvidenceRow, 'bytes' | 'object'> {
  readonly sha256: string;
  readonly leaks: boolean;
}

const COLUMNS = 'root, lines AS bytes, object, bodies, withheld, at';

/** Evidence of hosts, by its root or by its host. */
export class EvidenceRepository {
  constructor(private readonly database: Database) {}

  /** The bundle of a host under a root. */
  async find(domain: string, root: string): Promise<StoredBundle | undefined> {
    const { rows } = await this.database.pool.query<EvidenceRow>({
      name: 'evidence_of_root',
      text: `SELECT ${COLUMNS} FROM evidence WHERE root = $1 AND domain = $2`,
      values: [root, domain],
    });
    return rows[0] && this.opened(domain, rows[0]);
  }

  /** Exchanges behind the current report, for judging it again; undefined when bodies of it were removed. */
  async findExchanges(domain: string): Promise<readonly Exchange[] | undefined> {
    const { rows } = await this.database.pool.query<EvidenceRow>({
      name: 'evidence_newest',
      text: `SELECT ${COLUMNS} FROM evidence WHERE domain = $1 ORDER BY at DESC LIMIT 1`,
      values: [domain],
    });
    const [row] = rows;
    if (!row || row.withheld !== null) return undefined;
    const bundle = await this.opened(domain, row);
    if (!bundle || bundle.bodies.size < bundle.names.length) return undefined;
    const { lines, bodies } = bundle;
    const read = lines.slice(1).map((line) => Line.parse(JSON.parse(line)));
    return exchangesOf(read, new Map([...bodies].map(([sha256, { bytes }]) => [sha256, bytes])));
  }

  /** Domains with stored evidence, alphabetical, after `after`. */
  async domains(after: string, limit: number): Promise<readonly string[]> {
    const { rows } = await this.database.pool.query<{ domain: string }>(
      `SELECT DISTINCT domain FROM evidence WHERE domain > $1 AND withheld IS NULL ORDER BY domain LIMIT $2`,
      [after, limit],
    );
    return rows.map(({ domain }) => domain);
  }

  private async opened(domain: string, row: EvidenceRow): Promise<StoredBundle | undefined> {
    const { root, bodies: names, withheld } = row;
    const vault = await this.database.secrets.vault();
    const { rows } = await this.database.pool.query<BodyRow>({
      name: 'evidence_bodies_of',
      text: 'SELECT sha256, bytes, object, leaks FROM evidence_body WHERE domain = $1 AND sha256 = ANY($2::text[])',
      values: [domain, withheld === null ? names : []],
    });
    const [[lines], bodies] = await Promise.all([withBytes(this.database, [row]), withBytes(this.database, rows)]);
    if (!lines) return undefined;
    return {
      lines: await openLines(vault, domain, root, lines.bytes),
      names,
      bodies: await openBodies(vault, domain, bodies),
      withheld,
    };
  }
}
