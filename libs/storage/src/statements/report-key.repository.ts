import type { Database } from '../database/database';

/** A key that signs statements, as it is stored. */
export interface StoredReportKey {
  readonly kid: string;
  /** PKCS #8 in PEM. */
  readonly pem: string;
  readonly signsFrom: Date;
  readonly revokedAt: Date | null;
  readonly revokedReason: string | null;
}

/** The keys of statements, their private halves sealed. */
export class ReportKeyRepository {
  constructor(private readonly database: Database) {}

  /** All keys, the first one first. */
  async list(): Promise<readonly StoredReportKey[]> {
    const vault = await this.database.secrets.vault();
    const { rows } = await this.database.pool.query<{
      kid: string;
      secret: string;
      signs_from: Date;
      revoked_at: Date | null;
      revoked_reason: string | null;
    }>('SELECT kid, secret, signs_from, revoked_at, revoked_reason FROM report_key ORDER BY signs_from, kid');
    return rows.map(({ kid, secret, signs_from: signsFrom, revoked_at: revokedAt, revoked_reason: revokedReason }) => {
      const pem = vault.openText('report_key', kid, secret);
      if (pem === undefined) throw new Error(`the secrets of this database do not open the report key ${kid}`);
      return { kid, pem, signsFrom, revokedAt, revokedReason };
    });
  }

  /**
   * Adds a key; one that is there already stays as it is.
   * @param only `first` adds it only when there is no key at all: of several processes that try, one wins
   */
  async add(
    { kid, pem, signsFrom }: Pick<StoredReportKey, 'kid' | 'pem' | 'signsFrom'>,
    only?: 'first',
  ): Promise<void> {
    const vault = await this.database.secrets.vault();
    await this.database.transaction(async (client) => {
      await client.query('LOCK TABLE report_key IN SHARE ROW EXCLUSIVE MODE');
      await client.query(
        `INSERT INTO report_key (kid, secret, signs_from)
         SELECT $1, $2, $3 WHERE $4 OR NOT EXISTS (SELECT FROM report_key) ON CONFLICT (kid) DO NOTHING`,
        [kid, vault.sealText('report_key', kid, pem), signsFrom, only !== 'first'],
      );
    });
  }

  /** Since when the key of today signs, in seconds since 1970. */
  async signingSince(): Promise<number | undefined> {
    const { rows } = await this.database.pool.query<{ since: Date | null }>(
      'SELECT max(signs_from) AS since FROM report_key WHERE revoked_at IS NULL AND signs_from <= now()',
    );
    const since = rows[0]?.since;
    return since ? since.getTime() / 1_000 : undefined;
  }

  /** Marks a key as not to be believed any more; false when there is none of that name. */
  async revoke(kid: string, reason: string): Promise<boolean> {
    const { rowCount } = await this.database.pool.query(
      `UPDATE report_key SET revoked_at = coalesce(revoked_at, now()), revoked_reason = $2 WHERE kid = $1`,
      [kid, reason],
    );
    return rowCount === 1;
  }
}
