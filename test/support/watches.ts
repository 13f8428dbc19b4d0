import { randomUUID } from 'node:crypto';
import type { Database } from '@app/storage';
import { sealReceiver } from '../../libs/storage/src/owners/sealed-receiver';

/** Inserts an active watch with a confirmed receiver; returns its id. */
export async function putWatch(database: Database, columns: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const id = randomUUID();
  const of = {
    ...{ id, domain: 'shop.example.com', url: 'https://hooks.example.com/', site: 'example.com' },
    ...{ types: ['host.changed'], key_hash: id, state: 'active', ...columns },
  };
  const row = { host_site: of.domain, ...of, url: sealReceiver(await database.secrets.vault(), of.domain, of.url) };
  const names = Object.keys(row);
  await database.pool.query(
    `INSERT INTO watch (${names.join(', ')}, created_at, ends_at)
     VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')}, now(), now() + interval '30 days')`,
    Object.values(row),
  );
  return row.id;
}

/** Inserts an alert for delivery to a watch; returns its id. @param subject the challenge of `endpoint.verify` */
export async function putAlert(
  database: Database,
  watch: string,
  type = 'host.changed',
  subject: string | null = null,
): Promise<string> {
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  await database.pool.query(
    `WITH told AS (INSERT INTO alert (id, domain, seq, type, at, subject) VALUES ($2, 'shop.example.com', 7, $3, now(), $4) RETURNING id)
     INSERT INTO alert_delivery (watch_id, alert_id) SELECT $1, id FROM told`,
    [watch, id, type, subject],
  );
  return id;
}
