import type { Exchange } from '@app/detectors';
import { exchangesOf, Line, type StoredBody } from '@app/evidence';
import { z } from 'zod';
import type { Database } from '../database/database';
import type { Evidence } from '../generated/client';
import { withBytes } from './evidence-objects';
import { openBodies, openLines } from './stored-bundle';

const Withheld = z.enum(['opt_out', 'legal']).nullable();

/** A bundle as it is stored. */
export interface StoredBundle {
  readonly lines: readonly string[];
  /** The hashes in the lines, in order. */
  readonly names: readonly string[];
  /** The bodies that are stored. */
  readonly bodies: ReadonlyMap<string, StoredBody>;
  /** Why all bodies were removed. */
  readonly withheld: z.infer<typeof Withheld>;
}

/** Evidence of hosts, by its root or by its host. */
export class EvidenceRepository {
  constructor(private readonly database: Database) {}

  /** The bundle of a host with this root. */
  async find(domain: string, root: string): Promise<StoredBundle | undefined> {
    const row = await this.database.prisma.evidence.findUnique({ where: { root, domain } });
    return row ? this.opened(row) : undefined;
  }

  /**
   * The exchanges behind the current report, for running the detectors again; undefined if some of their bodies were
   * removed.
   */
  async findExchanges(domain: string): Promise<readonly Exchange[] | undefined> {
    const row = await this.database.prisma.evidence.findFirst({ where: { domain }, orderBy: { at: 'desc' } });
    if (!row || row.withheld !== null) return undefined;
    const bundle = await this.opened(row);
    if (!bundle || bundle.bodies.size < bundle.names.length) return undefined;
    const { lines, bodies } = bundle;
    const read = lines.slice(1).map((line) => Line.parse(JSON.parse(line)));
    return exchangesOf(read, new Map([...bodies].map(([sha256, { bytes }]) => [sha256, bytes])));
  }

  /** Domains with stored evidence, in alphabetical order, after `after`. */
  async domains(after: string, limit: number): Promise<readonly string[]> {
    const where = { domain: { gt: after }, withheld: null };
    const orderBy = { domain: 'asc' } as const;
    const rows = await this.database.prisma.evidence.groupBy({ by: 'domain', where, orderBy, take: limit });
    return rows.map(({ domain }) => domain);
  }

  private async opened({ root, domain, bodies: names, ...row }: Evidence): Promise<StoredBundle | undefined> {
    const vault = await this.database.secrets.vault();
    const withheld = Withheld.parse(row.withheld);
    const where = { domain, sha256: { in: withheld === null ? names : [] } };
    const stored = await this.database.prisma.evidenceBody.findMany({ where });
    const [[lines], bodies] = await Promise.all([
      withBytes(this.database, [{ object: row.object, bytes: row.lines }]),
      withBytes(this.database, stored),
    ]);
    if (!lines) return undefined;
    return {
      lines: await openLines(vault, domain, root, lines.bytes),
      names,
      bodies: await openBodies(vault, domain, bodies),
      withheld,
    };
  }
}
