import type { Exchange } from '@app/detectors';
import type { Database } from '../database/database';
import { unpackEvidence } from './evidence-archive';
import { isSealed } from '../database/vault';

/** SQL of an archive in clear text: it begins as gzip does. The partial index over it is empty once all are sealed. */
const UNSEALED = String.raw`substring(exchanges FROM 1 FOR 2) = '\x1f8b'::bytea`;

/** The exchanges of an archive that an earlier release stored, sealed or in clear text. */
export async function openEvidence(
  { secrets }: Database,
  domain: string,
  stored: Uint8Array,
): Promise<readonly Exchange[]> {
  if (!isSealed(stored)) return unpackEvidence(stored);
  const packed = (await secrets.vault()).open('evidence', domain, stored);
  if (!packed) throw new Error(`the evidence of ${domain} cannot be opened`);
  return unpackEvidence(packed);
}

/** Seals the archives that an earlier release stored; returns how many. Safe to repeat and to share. */
export async function sealStoredEvidence({ secrets, pool }: Database): Promise<number> {
  const vault = await secrets.vault();
  for (let sealed = 0; ; sealed += 1) {
    const { rows } = await pool.query<{ domain: string; exchanges: Buffer }>(
      `SELECT domain, exchanges FROM host_evidence WHERE ${UNSEALED} LIMIT 1`,
    );
    const [row] = rows;
    if (!row) return sealed;
    await pool.query(`UPDATE host_evidence SET exchanges = $2 WHERE domain = $1 AND ${UNSEALED}`, [
      row.domain,
      vault.seal('evidence', row.domain, row.exchanges),
    ]);
  }
}
