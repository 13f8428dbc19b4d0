import { z } from 'zod';
import { takeTurn, timeOf } from '../database/clock';
import type { Database } from '../database/database';
import { Prisma, type ReportKey } from '../generated/client';

/** A key that signs statements. */
export interface StoredReportKey extends Readonly<Omit<ReportKey, 'secret'>> {
  /** PKCS #8 in PEM. */
  readonly pem: string;
}

const Key = { kid: z.string(), secret: z.string(), signsFrom: z.date() };
const Keys = z.array(z.object({ ...Key, revokedAt: z.date().nullable(), revokedReason: z.string().nullable() }));

/** The statement keys, with encrypted private keys. */
export class ReportKeyRepository {
  constructor(private readonly database: Database) {}

  /** All keys, the oldest first. Uses plain SQL, because a gateway reads them at its start, see {@link Database}. */
  async list(): Promise<readonly StoredReportKey[]> {
    const vault = await this.database.secrets.vault();
    const rows = await this.database.rawQuery(
      Prisma.sql`SELECT kid, secret, signs_from AS "signsFrom", revoked_at AS "revokedAt", revoked_reason AS "revokedReason"
        FROM report_key ORDER BY signs_from, kid`,
    );
    return Keys.parse(rows).map(({ secret, ...key }) => {
      const pem = vault.openText('report_key', key.kid, secret);
      if (pem === undefined) throw new Error(`the secrets in this database cannot decrypt the report key ${key.kid}`);
      return { ...key, pem };
    });
  }

  /**
   * Adds a key; an existing one stays unchanged.
   * @param only `first` adds it only if there is no key at all; if several processes try, one wins
   */
  async add(
    { kid, pem, signsFrom }: Pick<StoredReportKey, 'kid' | 'pem' | 'signsFrom'>,
    only?: 'first',
  ): Promise<void> {
    const vault = await this.database.secrets.vault();
    const data = { kid, secret: vault.sealText('report_key', kid, pem), signsFrom };
    await this.database.inTransaction(async (tx) => {
      await takeTurn(tx, 'report_key');
      if (only === 'first' && (await tx.reportKey.count()) > 0) return;
      await tx.reportKey.createMany({ data, skipDuplicates: true });
    });
  }

  /** When the current key came into use, in seconds since 1970. */
  async signingSince(): Promise<number | undefined> {
    const { prisma } = this.database;
    const where = { revokedAt: null, signsFrom: { lte: await timeOf(prisma) } };
    const { _max: latest } = await prisma.reportKey.aggregate({ where, _max: { signsFrom: true } });
    return latest.signsFrom ? latest.signsFrom.getTime() / 1_000 : undefined;
  }

  /** Revokes a key; false if there is no key with that id. */
  async revoke(kid: string, reason: string): Promise<boolean> {
    return this.database.inTransaction(async (tx) => {
      const { count } = await tx.reportKey.updateMany({ where: { kid }, data: { revokedReason: reason } });
      await tx.reportKey.updateMany({ where: { kid, revokedAt: null }, data: { revokedAt: await timeOf(tx) } });
      return count === 1;
    });
  }
}
