import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { Vault } from './vault';

/** The purposes of secrets; each has one. `data_key` encrypts everything that is not in this table. */
type SecretPurpose = 'prober_key' | 'subscription_key' | 'data_key' | 'webhook_key';

/** The secrets in the database are encrypted with a key that is not configured. */
class SecretsKeyError extends Error {
  override readonly name = 'SecretsKeyError';
}

/**
 * Secrets shared by all processes, encrypted with `SECRETS_KEY`, and generated once unless configured. A row with a
 * former key is encrypted again when it is read. All other data at rest is encrypted with one of these secrets, so
 * changing the key only changes this table. It uses `pg`, because every process reads secrets at its start, see
 * `Database`.
 */
export class ServerSecretRepository {
  private readonly vaults: readonly Vault[];
  private readonly known = new Map<SecretPurpose, string>();
  private opened: Promise<Vault> | undefined;

  /** @param keys the encryption key, followed by keys that only decrypt */
  constructor(
    private readonly pool: Pool,
    keys: readonly string[],
  ) {
    this.vaults = keys.map((key) => new Vault(key));
  }

  /**
   * The stored secret for a purpose. If there is none, `generate` creates it; if several processes try, one wins.
   * @param generate by default, 256 random bits as text
   * @throws {SecretsKeyError} if none of the keys decrypts it
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

  /** Encrypts payments, evidence and names. */
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

  /** All secrets. Afterwards all are encrypted with the first key. */
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
