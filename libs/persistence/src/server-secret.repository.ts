import { randomBytes } from 'node:crypto';
import type { Database } from './database';

/** What a secret is for; there is one of each. */
export type SecretPurpose = 'prober_key' | 'subscription_key';

/** Secrets that all processes share when the configuration names none. */
export class ServerSecretRepository {
  constructor(private readonly database: Database) {}

  /**
   * The stored secret of a purpose; `generate` makes the first one, and of several processes that try, one wins.
   * @param generate 256 random bits as text when absent
   */
  async obtain(purpose: SecretPurpose, generate = randomText): Promise<string> {
    for (;;) {
      const { rows } = await this.database.pool.query<{ secret: string }>(
        'SELECT secret FROM server_secret WHERE purpose = $1',
        [purpose],
      );
      if (rows[0]) return rows[0].secret;
      await this.database.pool.query(
        'INSERT INTO server_secret (purpose, secret) VALUES ($1, $2) ON CONFLICT (purpose) DO NOTHING',
        [purpose, generate()],
      );
    }
  }
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}
