import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { Vault } from './vault';

/** What a secret is for; there is one of each. `data_key` seals everything that is not in this table. */
type SecretPurpose = 'prober_key' | 'subscription_key' | 'data_key' | 'webhook_key';

/** The secrets of the database are sealed under another key than those that were given. */
class SecretsKeyError extends Error {
  override readonly name = 'SecretsKeyError';
}

/**
 * Secrets that all processes share, made once where the configuration names none, sealed under `SECRETS_KEY`. A row
 * under a former key is sealed again as soon as it is read. Everything else at rest is sealed under one of these secrets,
 * and so a change of the key changes this table only. Through `pg`: every process reads them at its start, see `Database`.
 */
export class ServerSecretRepository {
  private readonly vaults: readonly Vault[];
  private readonly known = new Map<SecretPurpose, string>();
  private opened: Promise<Vault> | undefined;

  /** @param keys the key that seals, then those that only open */
  constructor(
    private readonly pool: Pool,
    keys: readonly string[],
  ) {
    this.vaults = keys.map((key) => new Vault(key));
  }

  /**
   * The stored secret of a purpose; `generate` makes the first one, and of several processes that try, one wins.
   * @param generate 256 random bits as text when absent
   * @throws {SecretsKeyError} when none of the keys opens it
   */
  async obtain(purpose: SecretPurpose, generate = randomText): Promise<string> {
    for (;;) {
      const known = this.known.get(purpose) ?? (await this.unsealAll()).get(purpose);
      if (known !== undefined) return known;
      await this.pool.query(
        'INSERT INTO server_secret (purpose, secret) VALUES ($1, $2) ON CONFLICT (purpose) DO NOTHING',
        [purpose, this.sealer().sealText('server_secret', purpose, generate())],
      );
    }
  }

  /** What seals payments, evidence and names. */
  vault(): Promise<Vault> {
    this.opened ??= this.obtain('data_key').then(
      (key) => new Vault(key),
      (error: unknown) => {
        this.opened = undefined;
        throw error;
      },
    );
    return this.opened;
  }

  /** All secrets; those that are not sealed under the first key are by the time this returns. */
  private async unsealAll(): Promise<ReadonlyMap<SecretPurpose, string>> {
    const sql = 'SELECT purpose, secret FROM server_secret';
    const { rows } = await this.pool.query<{ purpose: SecretPurpose; secret: string }>(sql);
    for (const { purpose, secret: stored } of rows) {
      const secret = this.unseal(purpose, stored);
      this.known.set(purpose, secret);
      if (this.sealer().openText('server_secret', purpose, stored) !== undefined) continue;
      await this.pool.query('UPDATE server_secret SET secret = $3 WHERE purpose = $1 AND secret = $2', [
        purpose,
        stored,
        this.sealer().sealText('server_secret', purpose, secret),
      ]);
    }
    return this.known;
  }

  private unseal(purpose: SecretPurpose, stored: string): string {
    for (const vault of this.vaults) {
      const secret = vault.openText('server_secret', purpose, stored);
      if (secret !== undefined) return secret;
    }
    throw new SecretsKeyError(
      'SECRETS_KEY cannot decrypt the secrets in this database; set it to the key that encrypted them, ' +
        'or add that key to SECRETS_KEY_FORMER',
    );
  }

  private sealer(): Vault {
    const [first] = this.vaults;
    if (!first)
      throw new SecretsKeyError('SECRETS_KEY is not set, but the secrets in this database are encrypted with it');
    return first;
  }
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}
