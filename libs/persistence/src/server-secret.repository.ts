import { randomBytes } from 'node:crypto';
import type { Database } from './database';

/** Secrets that all processes share when the configuration names none. */
export class ServerSecretRepository {
  constructor(private readonly database: Database) {}

  /** The stored secret of a purpose, 256 bits as text; the first process that asks makes it. */
  async obtain(purpose: string): Promise<string> {
    await this.database.pool.query(
      'INSERT INTO server_secret (purpose, secret) VALUES ($1, $2) ON CONFLICT (purpose) DO NOTHING',
      [purpose, randomBytes(32).toString('base64url')],
    );
    const { rows } = await this.database.pool.query<{ secret: string }>(
      'SELECT secret FROM server_secret WHERE purpose = $1',
      [purpose],
    );
    if (!rows[0]) throw new Error('a stored secret can be read');
    return rows[0].secret;
  }
}
