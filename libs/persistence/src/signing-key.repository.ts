import type { Database } from './database';

/** What the stored key is for; one key per purpose. */
const PURPOSE = 'probe';

/** The key that all processes share when the configuration names none. */
export class SigningKeyRepository {
  constructor(private readonly database: Database) {}

  /** The stored key, PEM; `generate` makes the first one, and of several processes that try, one wins. */
  async obtain(generate: () => string): Promise<string> {
    for (;;) {
      const { rows } = await this.database.pool.query<{ pem: string }>(
        'SELECT pem FROM signing_key WHERE purpose = $1',
        [PURPOSE],
      );
      if (rows[0]) return rows[0].pem;
      await this.database.pool.query(
        'INSERT INTO signing_key (purpose, pem) VALUES ($1, $2) ON CONFLICT (purpose) DO NOTHING',
        [PURPOSE, generate()],
      );
    }
  }
}
