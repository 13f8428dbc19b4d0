import type { Exchange } from '@app/detectors';
import type { DriftEvent, DriftMemory, HostClocks, PaymentRail } from '@app/reports';
import type { PoolClient } from 'pg';
import type { Database } from './database';
import { packEvidence, unpackEvidence } from './evidence-archive';
import { writeRails } from './rail.repository';
import { runNotice } from './run-notice';

/** A stored report as the read path wants it: text and clocks, nothing parsed. */
export interface StoredReport {
  readonly version: number;
  /** JSON text of the report without `cache` and `refresh`. */
  readonly facts: string;
  readonly clocks: HostClocks;
}

export interface StoredHost extends StoredReport {
  readonly driftMemory: DriftMemory | null;
}

/** Everything one look changes, written together or not at all. */
export interface Look {
  readonly runId: string;
  readonly domain: string;
  readonly site: string;
  /** Version the look was computed against; 0 for a host without a row. */
  readonly baseVersion: number;
  readonly facts: string;
  readonly clocks: HostClocks;
  readonly reachable: boolean | null;
  readonly payable: boolean;
  /** The rails of the report, in its order; hosts are found by them. */
  readonly rails: readonly PaymentRail[];
  readonly driftMemory: DriftMemory | null;
  readonly events: readonly DriftEvent[];
  /** Replaces the stored evidence; undefined keeps it (a one-protocol look proves one cell only). */
  readonly exchanges?: readonly Exchange[];
  /** What the waiting gateway gets. */
  readonly outcome: unknown;
}

interface Row {
  version: number;
  facts: string;
  probed_at: Date | null;
  callability_probed_at: Date | null;
}

interface HostRow extends Row {
  drift_memory: DriftMemory | null;
}

export class HostRepository {
  constructor(private readonly database: Database) {}

  /** The hot read: one prepared statement on the primary key. */
  async findReport(domain: string): Promise<StoredReport | undefined> {
    const { rows } = await this.database.pool.query<Row>({
      name: 'host_report',
      text: 'SELECT version, facts, probed_at, callability_probed_at FROM host WHERE domain = $1',
      values: [domain],
    });
    return rows[0] && storedReport(rows[0]);
  }

  /** {@link findReport} of several hosts at once, by domain; hosts without a row are missing. */
  async findReports(domains: readonly string[]): Promise<ReadonlyMap<string, StoredReport>> {
    const { rows } = await this.database.pool.query<Row & { domain: string }>({
      name: 'host_reports',
      text: `SELECT domain, version, facts, probed_at, callability_probed_at FROM host WHERE domain = ANY($1::text[])`,
      values: [domains],
    });
    return new Map(rows.map((row) => [row.domain, storedReport(row)]));
  }

  /** Facts of the hosts that were looked at last, the latest first. */
  async latest(limit: number): Promise<readonly string[]> {
    const { rows } = await this.database.pool.query<Pick<Row, 'facts'>>(
      'SELECT facts FROM host WHERE probed_at IS NOT NULL ORDER BY probed_at DESC LIMIT $1',
      [limit],
    );
    return rows.map(({ facts }) => facts);
  }

  /** The stored report with what drift compares the next look with. */
  async find(domain: string): Promise<StoredHost | undefined> {
    const { rows } = await this.database.pool.query<HostRow>({
      name: 'host_with_memory',
      text: 'SELECT version, facts, probed_at, callability_probed_at, drift_memory FROM host WHERE domain = $1',
      values: [domain],
    });
    return rows[0] && { ...storedReport(rows[0]), driftMemory: rows[0].drift_memory };
  }

  /** Exchanges behind the current report, for judging it again. */
  async findExchanges(domain: string): Promise<readonly Exchange[] | undefined> {
    const row = await this.database.prisma.hostEvidence.findUnique({ where: { domain } });
    return row === null ? undefined : unpackEvidence(row.exchanges);
  }

  /** Domains with stored evidence, alphabetical, after `after`. */
  async domainsWithEvidence(after: string, limit: number): Promise<readonly string[]> {
    const rows = await this.database.prisma.hostEvidence.findMany({
      where: { domain: { gt: after } },
      orderBy: { domain: 'asc' },
      take: limit,
      select: { domain: true },
    });
    return rows.map((row) => row.domain);
  }

  /**
   * Hosts whose free look is due, the longest unseen first: a day after the last look at what they publish, and a week
   * for those that did not answer. Free looks that found nothing to store (refused, given up) count as well.
   */
  async dueForPresence(limit: number): Promise<readonly string[]> {
    const { rows } = await this.database.pool.query<{ domain: string }>(
      `SELECT domain FROM host
       WHERE coalesce(probed_at, updated_at) <= now() - CASE WHEN reachable IS FALSE THEN interval '7 days'
                                                             ELSE interval '1 day' END
         AND NOT EXISTS (SELECT FROM probe_run WHERE probe_run.domain = host.domain AND kind = 'presence'
                                                 AND created_at > now() - interval '1 day')
       ORDER BY coalesce(probed_at, updated_at), domain LIMIT $1`,
      [limit],
    );
    return rows.map(({ domain }) => domain);
  }

  /**
   * Stores report, drift events, evidence and the run's outcome in one transaction and tells whoever waits. Nothing is
   * written when the run was ended by somebody else (`run_over`), or when another look came first (`stale_base`): then
   * the caller computes again on the new base.
   */
  async saveLook(look: Look): Promise<'saved' | 'stale_base' | 'run_over'> {
    const outcome = JSON.stringify(look.outcome);
    const packed = look.exchanges && (await packEvidence(look.exchanges)); // before a connection is held
    const verdict = await this.database
      .transaction(async (client) => {
        const run = await client.query({
          name: 'look_run',
          text: `UPDATE probe_run SET status = 'done', outcome = $2, finished_at = now()
                 WHERE id = $1 AND status IN ('queued', 'running')
                 RETURNING pg_notify('run_finished', $3), pg_notify('host_changed', $4)`,
          values: [look.runId, outcome, runNotice(look.runId, outcome), look.domain],
        });
        if (run.rowCount !== 1) throw new Abandoned('run_over');
        if (!(await writeReport(client, look))) throw new Abandoned('stale_base');
        await writeRails(client, look.domain, look.rails);
        await writeEvents(client, look);
        if (packed) await writeEvidence(client, look, packed);
        return 'saved' as const;
      })
      .catch((error: unknown) => {
        if (error instanceof Abandoned) return error.verdict;
        throw error;
      });
    return verdict;
  }
}

class Abandoned extends Error {
  constructor(readonly verdict: 'stale_base' | 'run_over') {
    super(verdict);
  }
}

async function writeReport(client: PoolClient, look: Look): Promise<boolean> {
  const values = [
    look.domain,
    look.site,
    look.facts,
    look.clocks.probedAt ?? null,
    look.clocks.callabilityProbedAt ?? null,
    look.reachable,
    look.payable,
    look.driftMemory === null ? null : JSON.stringify(look.driftMemory),
  ];
  const written =
    look.baseVersion === 0
      ? await client.query({
          name: 'look_new_host',
          text: `INSERT INTO host (domain, site, version, facts, probed_at, callability_probed_at, reachable, payable,
                                   drift_memory, updated_at)
                 VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, now()) ON CONFLICT (domain) DO NOTHING`,
          values,
        })
      : await client.query({
          name: 'look_host',
          text: `UPDATE host SET site = $2, version = version + 1, facts = $3, probed_at = $4, callability_probed_at = $5,
                                 reachable = $6, payable = $7, drift_memory = $8, updated_at = now()
                 WHERE domain = $1 AND version = $9`,
          values: [...values, look.baseVersion],
        });
  return written.rowCount === 1;
}

async function writeEvents(client: PoolClient, look: Look): Promise<void> {
  for (const event of look.events) {
    await client.query(
      `INSERT INTO change_event (domain, at, protocol, kind, summary, before, after) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        look.domain,
        event.at,
        event.protocol,
        event.kind,
        event.summary,
        JSON.stringify(event.before ?? null),
        JSON.stringify(event.after ?? null),
      ],
    );
  }
}

async function writeEvidence(client: PoolClient, look: Look, packed: Buffer): Promise<void> {
  await client.query({
    name: 'look_evidence',
    text: `INSERT INTO host_evidence (domain, run_id, exchanges, at) VALUES ($1, $2, $3, now())
           ON CONFLICT (domain) DO UPDATE SET run_id = $2, exchanges = $3, at = now()`,
    values: [look.domain, look.runId, packed],
  });
}

function storedReport(row: Row): StoredReport {
  return { version: row.version, facts: row.facts, clocks: clocksOf(row) };
}

function clocksOf(row: Pick<Row, 'probed_at' | 'callability_probed_at'>): HostClocks {
  return {
    ...(row.probed_at ? { probedAt: row.probed_at.toISOString() } : {}),
    ...(row.callability_probed_at ? { callabilityProbedAt: row.callability_probed_at.toISOString() } : {}),
  };
}
