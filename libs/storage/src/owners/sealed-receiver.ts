import type { Database } from '../database/database';
import { isSealedText, type Vault } from '../database/vault';

/**
 * The address of a receiver, which alone lets anybody post there, or what it answered, as they are stored.
 * @param of whose it is: the watched host of an address, the watch of an answer
 */
export function sealReceiver(vault: Vault, of: string, text: string): string {
  return vault.sealText('receiver', of, text);
}

/**
 * What {@link sealReceiver} returned, or what an earlier release stored in clear text. Empty when none of the keys opens
 * it: rows are read together, and a message to an empty address fails like one to any other that is refused.
 */
export function openReceiver(vault: Vault, of: string, stored: string): string {
  return isSealedText(stored) ? (vault.openText('receiver', of, stored) ?? '') : stored;
}

/** Rows that are sealed with one statement. */
const AT_ONCE = 500;

/** Seals what an earlier release stored; returns how many rows. Safe to repeat and to share. */
export async function sealStoredReceivers({ secrets, pool }: Database): Promise<number> {
  const vault = await secrets.vault();
  let sealed = 0;
  for (const [table, column, of] of [
    ['watch', 'url', 'domain'],
    ['alert_delivery', 'excerpt', 'watch_id'],
  ] as const) {
    for (;;) {
      const { rows } = await pool.query<{ of: string; text: string }>(
        `SELECT DISTINCT ${of}::text AS of, ${column} AS text FROM ${table} WHERE ${column} NOT LIKE 'sealed:%' LIMIT ${AT_ONCE}`,
      );
      for (const row of rows)
        await pool.query(`UPDATE ${table} SET ${column} = $3 WHERE ${of}::text = $1 AND ${column} = $2`, [
          row.of,
          row.text,
          sealReceiver(vault, row.of, row.text),
        ]);
      sealed += rows.length;
      if (rows.length < AT_ONCE) break;
    }
  }
  return sealed;
}
