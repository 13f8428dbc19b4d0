import { randomUUID } from 'node:crypto';
import { afterCheck, LAPSE_MS, type CheckedClaim, type ClaimFinding } from '@app/owners';
import type { QueryResultRow } from 'pg';
import { writeLapsing } from './alert-outbox';
import type { Database } from '../database/database';

/** A claim as it is stored. */
export interface Claim extends CheckedClaim {
  readonly id: string;
  readonly domain: string;
  /** SHA-256 of its key, hex. */
  readonly keyHash: string;
  readonly challenge: string;
  readonly checkedAt: Date | null;
  /** What the last check found. */
  readonly finding: ClaimFinding | null;
}

const columns = (
  confirmMs: number,
): string => `id, domain, key_hash AS "keyHash", challenge, created_at AS "createdAt", level, level_since AS "levelSince",
  last_seen_at AS "lastSeenAt", missing, name_servers AS "nameServers", checked_at AS "checkedAt", finding, ${confirmMs}::int AS "confirmMs"`;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Claims of a host without control: another one takes the room of the oldest of the caller who began most. */
export const UNPROVED_PER_HOST = 10;
/**
 * A claim is checked at most once in so many seconds, however many ask: after as many checks as there are pauses before,
 * where control was never seen.
 */
const CHECK_PAUSES_SEC = [60, 300, 1_800, 10_800] as const;

/** SQL: whether somebody showed control of the host that a row of this table is about, and the claim has not lapsed. */
export const hostIsClaimed = (table: string): string => `EXISTS (SELECT FROM claim c WHERE c.domain = ${table}.domain
  AND c.level IS NOT NULL AND c.last_seen_at > now() - ${LAPSE_MS} * interval '1 millisecond')`;

/** Claims in Postgres. Of a key only the hash is here. SQL: rows are taken, capped and checked each in one statement. */
export class ClaimRepository {
  private readonly columns: string;

  /** @param confirmMs how far apart control has to be seen twice */
  constructor(
    private readonly database: Database,
    private readonly confirmMs: number,
  ) {
    this.columns = columns(confirmMs);
  }

  /**
   * Begins a claim. Claims whose control was seen stay, however many others begin.
   * @param site registrable domain @param caller the network that asks, of which a hash is kept
   */
  async open(domain: string, keyHash: string, challenge: string, site = domain, caller?: string): Promise<Claim> {
    const network = caller === undefined ? '' : (await this.database.secrets.vault()).keyedHash('claim_caller', caller);
    return this.database.transaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`claim ${domain}`]);
      const { rows } = await client.query<Claim>(
        `INSERT INTO claim (id, domain, key_hash, challenge, site, caller, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp()) RETURNING ${this.columns}`,
        [randomUUID(), domain, keyHash, challenge, site, network],
      );
      await client.query(
        `DELETE FROM claim WHERE id IN (
           SELECT id FROM (
             SELECT id, created_at, row_number() OVER (PARTITION BY caller ORDER BY created_at DESC) AS turn
             FROM claim WHERE domain = $1 AND level IS NULL) AS unproved
           ORDER BY turn, created_at DESC OFFSET $2)`,
        [domain, UNPROVED_PER_HOST],
      );
      return found(rows);
    });
  }

  /** The claim of a key. */
  async ofKey(keyHash: string): Promise<Claim | undefined> {
    const [row] = await this.query<Claim>(`SELECT ${this.columns} FROM claim WHERE key_hash = $1`, [keyHash]);
    return row;
  }

  /** The claim that a check is about. */
  async read(id: string): Promise<Claim | undefined> {
    const [row] = UUID.test(id) ? await this.query<Claim>(`SELECT ${this.columns} FROM claim WHERE id = $1`, [id]) : [];
    return row;
  }

  /** Other claims of the host whose control was seen. */
  async others({ id, domain }: Pick<Claim, 'id' | 'domain'>): Promise<readonly Claim[]> {
    return this.query(
      `SELECT ${this.columns} FROM claim WHERE domain = $1 AND id <> $2 AND level IS NOT NULL ORDER BY created_at, id LIMIT 20`,
      [domain, id],
    );
  }

  /** Ends the key of a claim and gives it another one. */
  async changeKey(id: string, former: string, keyHash: string): Promise<Claim | undefined> {
    const [row] = await this.query<Claim>(
      `UPDATE claim SET key_hash = $3 WHERE id = $1 AND key_hash = $2 RETURNING ${this.columns}`,
      [id, former, keyHash],
    );
    return row;
  }

  /** Ends a claim; nothing of it is kept. Its watches are locked by their ids, as the fan-out of alerts locks them. */
  async remove(id: string): Promise<void> {
    await this.query(
      `WITH mine AS (SELECT id FROM claim WHERE id = $1 FOR UPDATE),
            locked AS (SELECT w.id FROM watch w JOIN mine ON w.claim_id = mine.id ORDER BY w.id FOR UPDATE OF w)
       DELETE FROM claim WHERE id = $1 AND (SELECT count(*) FROM locked) >= 0`,
      [id],
    );
  }

  /** Whether a check of the claim may be asked for now: its pause ({@link CHECK_PAUSES_SEC}) is over. */
  async mayCheck(id: string): Promise<boolean> {
    const rows = await this.query(
      `SELECT FROM claim WHERE id = $1 AND (asked_at IS NULL OR asked_at <= now()
         - ($2::int[])[1 + least(greatest(unseen_checks - 1, 0), $3)] * interval '1 second')`,
      [id, CHECK_PAUSES_SEC, CHECK_PAUSES_SEC.length - 1],
    );
    return rows.length === 1;
  }

  /** Begins the pause after a check that stands in the queue. */
  async noteAsked(id: string): Promise<void> {
    await this.query('UPDATE claim SET asked_at = now() WHERE id = $1', [id]);
  }

  /**
   * Claims to check by the clock: those seen once, to confirm them, and all others that hold, a day after their last check,
   * whoever asked for one since. One whose check does not come about is tried again after pauses that grow.
   */
  async takeDue(most: number): Promise<readonly Claim[]> {
    return this.query(
      `UPDATE claim SET asked_at = now() WHERE id IN (
         SELECT id FROM claim
         WHERE level IS NOT NULL AND last_seen_at > now() - $2 * interval '1 millisecond'
           AND checked_at <= now() - CASE WHEN last_seen_at - level_since < $3 * interval '1 millisecond'
                                          THEN $3 * interval '1 millisecond' ELSE interval '1 day' END
           AND asked_at <= now() - (now() - checked_at) / 4
         ORDER BY asked_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING ${this.columns}`,
      [most, LAPSE_MS, this.confirmMs],
    );
  }

  /** Writes what a check found; a claim that is gone stays gone. @param nameServers of its zone, none where that is not known */
  async record(id: string, finding: ClaimFinding, nameServers: readonly string[] = []): Promise<void> {
    await this.database.transaction(async (client) => {
      const { rows } = await client.query<Claim & { readonly now: Date }>(
        `SELECT ${this.columns}, now() AS now FROM claim WHERE id = $1 FOR UPDATE`,
        [id],
      );
      if (!rows[0]) return;
      const { now, ...claim } = rows[0];
      const after = afterCheck(claim, finding, now, nameServers);
      const { level, levelSince, lastSeenAt, missing } = after;
      await client.query(
        `UPDATE claim SET level = $2, level_since = $3, last_seen_at = $4, missing = $5, checked_at = $6, finding = $7,
           name_servers = $8, unseen_checks = CASE WHEN $2::text IS NULL THEN least(unseen_checks + 1, 1000) ELSE 0 END
         WHERE id = $1`,
        [id, level, levelSince, lastSeenAt, missing, now, JSON.stringify(finding), after.nameServers],
      );
      if (missing && !claim.missing) await writeLapsing(client, claim);
      // What sends alerts rests on the zone of the host: it holds as long as the claim does, seen from the last time.
      await client.query(
        `UPDATE watch SET ends_at = $2::timestamptz + $3 * interval '1 millisecond'
         WHERE id IN (SELECT id FROM watch WHERE claim_id = $1 AND $4 ORDER BY id FOR UPDATE)`,
        [id, lastSeenAt, LAPSE_MS, level === 'dns'],
      );
    });
  }

  private async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.database.pool.query<Row>(sql, [...values])).rows;
  }
}

function found(rows: readonly Claim[]): Claim {
  if (!rows[0]) throw new Error('a row that was written did not come back');
  return rows[0];
}
