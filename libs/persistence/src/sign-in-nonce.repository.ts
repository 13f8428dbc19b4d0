import type { Database } from './database';

/** Nonces that wallets signed in with. */
export class SignInNonceRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes a nonce of an address; false when it was taken before, by whichever gateway. Nonces are remembered for
   * `forSec`, which must be longer than their messages are good for.
   */
  async take(address: string, nonce: string, forSec: number): Promise<boolean> {
    await this.database.pool.query('DELETE FROM sign_in_nonce WHERE expires_at < now()');
    const { rowCount } = await this.database.pool.query(
      `INSERT INTO sign_in_nonce (address, nonce, expires_at) VALUES ($1, $2, now() + $3 * interval '1 second')
       ON CONFLICT DO NOTHING`,
      [address, nonce, forSec],
    );
    return rowCount === 1;
  }
}
