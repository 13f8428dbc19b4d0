import type { Database } from '../database/database';

/** Used nonces of wallet sign-ins. */
export class SignInNonceRepository {
  constructor(private readonly database: Database) {}

  /**
   * Uses up a nonce of an address; false if any gateway already used it (the table's key decides). Nonces are
   * remembered for `forSec`, which exceeds the validity of their messages by more than the gateways' clocks may differ.
   */
  async take(address: string, nonce: string, forSec: number): Promise<boolean> {
    const { signInNonce } = this.database.prisma;
    const now = Date.now();
    await signInNonce.deleteMany({ where: { expiresAt: { lt: new Date(now) } } });
    const { count } = await signInNonce.createMany({
      data: [{ address, nonce, expiresAt: new Date(now + forSec * 1_000) }],
      skipDuplicates: true,
    });
    return count === 1;
  }
}
